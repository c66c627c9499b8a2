// Is this delivery signed by its source? Standard Webhooks, over the raw bytes.
//
// During a rotation several secrets are good and a header may hold several signatures: one pair that fits is
// enough (cases.md 9). Which secret it was is known by name, for the log. A sender learns only that no signature
// fits: not which secrets exist, nor that one has ended.
//
// Not through the standard's own library: that one signs the text which it reads out of the bytes, looks at a clock of its own,
// and takes twenty times as long over whatever a stranger sends.
import { isUtf8 } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { FieldError, Problem } from "../problem.ts";
import { hasEnded, type WebhookSource } from "./webhook-sources.ts";

export interface SignedBytes {
  /** Header by lower-case name; null when absent. */
  header(name: string): string | null;
  body: Buffer;
}

export type Verification =
  | { kind: "signed"; secretName: string }
  /** `endedSecretName`: for the log only. */
  | { kind: "unsigned"; problem: Problem; endedSecretName?: string };

/** The standard's own tolerance. */
const toleranceSeconds = 5 * 60;

const headerNames = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

export function verifyWebhook(
  source: WebhookSource,
  delivery: SignedBytes,
  nowMs: number,
): Verification {
  const wrong = headerProblem(delivery) ?? timestampProblem(delivery, nowMs);
  if (wrong !== undefined) return { kind: "unsigned", problem: wrong };
  const fitting = source.secrets.filter(({ secret }) => fits(secret, delivery));
  const good = fitting.find((secret) => !hasEnded(secret, nowMs));
  if (good !== undefined) return { kind: "signed", secretName: good.name };
  const [ended] = fitting;
  return {
    kind: "unsigned",
    problem: signatureProblem(delivery.body),
    ...(ended === undefined ? {} : { endedSecretName: ended.name }),
  };
}

function headerProblem({ header }: SignedBytes): Problem | undefined {
  const errors: FieldError[] = headerNames
    .filter((name) => (header(name) ?? "").trim() === "")
    .map((field) => ({ field, detail: "is missing or empty" }));
  return errors.length === 0 ? undefined : badHeaders(errors);
}

function timestampProblem({ header }: SignedBytes, nowMs: number): Problem | undefined {
  const text = header("webhook-timestamp") ?? "";
  if (!/^\d{1,12}$/.test(text)) {
    return badHeaders([{ field: "webhook-timestamp", detail: "is not a time in whole seconds" }]);
  }
  const ageSeconds = Math.floor(nowMs / 1000) - Number(text);
  if (Math.abs(ageSeconds) <= toleranceSeconds) return undefined;
  const where = ageSeconds > 0 ? "old" : "new";
  return {
    status: 401,
    slug: "timestamp-out-of-range",
    detail: `webhook-timestamp is too ${where}: it may differ from the time here by ${toleranceSeconds} s. Check the clock, sign again with the time of sending and send again.`,
  };
}

function badHeaders(errors: FieldError[]): Problem {
  const names = errors.map(({ field }) => field).join(", ");
  return {
    status: 400,
    slug: "invalid-headers",
    detail: `Send the three headers of Standard Webhooks; look at ${names}.`,
    errors,
  };
}

function signatureProblem(body: Buffer): Problem {
  if (body.length === 0) return emptyBody;
  if (!isUtf8(body)) return notUtf8;
  return {
    status: 401,
    slug: "invalid-signature",
    detail:
      "webhook-signature does not fit the body, webhook-id and webhook-timestamp. Sign the raw bytes that are sent, with the secret of this source.",
  };
}

const notUtf8: Problem = {
  status: 400,
  slug: "invalid-body",
  detail: "The body is not UTF-8. Encode it as UTF-8, sign those bytes and send again.",
  errors: [{ field: "body", detail: "is not UTF-8" }],
};

/** The host may hand on nothing of a body that comes in chunks. */
const emptyBody: Problem = {
  status: 400,
  slug: "invalid-body",
  detail: "No body arrived. Sign the bytes that you send, and send them in one piece.",
  errors: [{ field: "body", detail: "is empty; send it with a content-length, not in chunks" }],
};

function fits(secret: string, { body, header }: SignedBytes): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const wanted = signedForms(body).map((bytes) =>
    createHmac("sha256", key)
      .update(`${header("webhook-id")}.${header("webhook-timestamp")}.`)
      .update(bytes)
      .digest(),
  );
  return signaturesIn(header("webhook-signature") ?? "").some((given) =>
    wanted.some((one) => given.length === one.length && timingSafeEqual(given, one)),
  );
}

/** Many senders sign the text that they read out of their bytes; of bytes that are no text, which are refused, that is another. */
function signedForms(body: Buffer): Buffer[] {
  return isUtf8(body) ? [body] : [body, Buffer.from(body.toString("utf8"))];
}

/** Spaces stand between several; a server that joins several headers puts a comma there, too. */
function signaturesIn(header: string): Buffer[] {
  return header.split(" ").flatMap((one) => {
    const [version, base64 = ""] = one.split(",");
    return version === "v1" ? [Buffer.from(base64, "base64")] : [];
  });
}
