// What a local service sees of a bearer token: for whom it was made, and until when. Who signed it nothing local could tell, so
// nothing here guards anything; an app that asks for a token of the wrong audience is told so, as Azure tells it.

/** Undefined: it is taken. */
export function whyNotTaken(
  token: string,
  isAudience: (audience: string) => boolean,
  nowMs: number,
): string | undefined {
  const claims = claimsOf(token);
  if (claims === undefined) return "the token is no JSON web token";
  const { aud, exp } = claims;
  if (typeof aud !== "string" || !isAudience(aud.replace(/\/+$/, ""))) {
    return `the token was made for ${String(aud)}, not for this service`;
  }
  if (typeof exp !== "number" || exp * 1000 <= nowMs) return "the token has expired";
  return undefined;
}

function claimsOf(token: string): { aud?: unknown; exp?: unknown } | undefined {
  const [, payload = "", signature] = token.split(".");
  if (signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    return typeof claims === "object" && claims !== null ? claims : undefined;
  } catch {
    return undefined;
  }
}
