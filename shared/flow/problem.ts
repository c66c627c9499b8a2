// What is wrong with a request, as `application/problem+json` (RFC 9457): what it was, where, and what to do.
//
// Never a stack trace, a payload or a secret: `detail` and `errors` are written by us, and name fields.

export interface FieldError {
  field: string;
  detail: string;
}

export interface Problem {
  status: 400 | 401 | 403 | 404 | 409 | 413 | 415 | 500 | 503;
  /** Names the kind of problem for programs: `urn:countersign:problem:<slug>`. */
  slug: string;
  detail: string;
  errors?: readonly FieldError[];
  retryAfterSeconds?: number;
}

export interface ProblemResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export function problem(wrong: Problem): ProblemResponse {
  const { detail, errors, retryAfterSeconds, slug, status } = wrong;
  const title = slug.charAt(0).toUpperCase() + slug.slice(1).replaceAll("-", " ");
  const document = { type: `urn:countersign:problem:${slug}`, title, status, detail };
  return {
    status,
    headers: {
      "content-type": "application/problem+json",
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
    },
    body: JSON.stringify(errors === undefined ? document : { ...document, errors }),
  };
}
