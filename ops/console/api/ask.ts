// The one way to the API. What it answers is a value: a body, "as before", or a problem that a person can read.
//
// A POST is JSON from our own origin, as the API demands; its id is made by whoever asks, so that asking again is one.
import type { Problem } from "./shapes.ts";

export type Answer<Body> =
  | { kind: "body"; body: Body; etag: string | undefined }
  /** Under the ETag that was sent. */
  | { kind: "unchanged" }
  | { kind: "problem"; problem: Problem };

export interface Asking {
  body?: object;
  etag?: string | undefined;
  signal?: AbortSignal;
}

const timeoutMs = 30_000;

export async function ask<Body>(path: string, asking: Asking = {}): Promise<Answer<Body>> {
  const { body, etag, signal } = asking;
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`/api/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        accept: "application/json, application/problem+json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(etag === undefined ? {} : { "if-none-match": etag }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      cache: "no-store",
      credentials: "same-origin",
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    });
    if (response.status === 304) return { kind: "unchanged" };
    const text = await response.text();
    if (!response.ok) return { kind: "problem", problem: problemOf(response.status, text) };
    const told = response.headers.get("etag") ?? undefined;
    return { kind: "body", body: JSON.parse(text) as Body, etag: told };
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof DOMException)) throw error;
    const detail = "The app did not answer. Nothing is known of a request that was under way.";
    return { kind: "problem", problem: { status: 0, title: "No answer", detail } };
  }
}

function problemOf(status: number, text: string): Problem {
  try {
    const { detail, errors, title, type } = JSON.parse(text) as Partial<Problem>;
    return {
      status,
      title: title ?? `Status ${status}`,
      detail: detail ?? "The app says no more about it.",
      ...(type === undefined ? {} : { type }),
      ...(errors === undefined ? {} : { errors }),
    };
  } catch {
    return { status, title: `Status ${status}`, detail: "The app says no more about it." };
  }
}

/** For a decision: made once for each form, so that a second click or a lost answer is the same decision. */
export function newId(): string {
  return crypto.randomUUID();
}
