// The master key signature: who does not know the key gets 401, whose clock is far off gets 403.
//
// Signed is `verb\ntype\nlink\ndate\n\n`, all but the link in lower case. A path of an even number of
// segments names a resource (type = the one before last, link = the whole path); an odd one names a
// collection of resources (type = the last, link = what is before it). The link is the decoded path.
// Bearer tokens are taken when the server was told so, and they are for this account and have not expired.
import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { whyNotTaken } from "../../bearer-token.ts";
import type { Clock } from "../store/clock.ts";
import type { CosmosRequest } from "./exchange.ts";
import { Refusal } from "./refusals.ts";

/** What the SDK asks for where the directory does not know the account by its own address. */
const anyAccount = "https://cosmos.azure.com";
const CLOCK_TOLERANCE_MS = 15 * 60 * 1000;

export interface Credentials {
  key: string;
  acceptBearerTokens: boolean;
}

export function authorize(request: CosmosRequest, credentials: Credentials, clock: Clock): void {
  const header = request.header("authorization");
  if (header === undefined) {
    throw new Refusal(401, "Required Header authorization is missing.");
  }
  const fields = new Map(
    decodeURIComponent(header)
      .split("&")
      .map((pair) => {
        const equalsAt = pair.indexOf("=");
        return [pair.slice(0, equalsAt), pair.slice(equalsAt + 1)];
      }),
  );
  const signature = fields.get("sig") ?? "";
  if (fields.get("type") === "aad" && credentials.acceptBearerTokens) {
    const isOurs = (audience: string) =>
      audience === anyAccount || audience === `https://${request.header("host") ?? ""}`;
    const refused = whyNotTaken(signature, isOurs, clock.nowMs());
    if (refused === undefined) return;
    throw new Refusal(401, `The authorization token is not valid: ${refused}.`);
  }
  if (fields.get("type") !== "master") {
    throw new Refusal(401, "The authorization token is of a type that this server does not take.");
  }
  const date = request.header("x-ms-date") ?? request.header("date") ?? "";
  const expected = signatureOf(credentials, signedText(request, date));
  const given = Buffer.from(signature, "base64");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new Refusal(
      401,
      "The input authorization token can't serve the request. The wrong key is being used or the expected payload is not built as per the protocol.",
    );
  }
  const dateMs = Date.parse(date);
  if (!(Math.abs(dateMs - clock.nowMs()) <= CLOCK_TOLERANCE_MS)) {
    throw new Refusal(403, "The authorization token is not valid at the current time.");
  }
}

const SIGNATURES_MAX = 1000;
const signatures = new WeakMap<Credentials, Map<string, Buffer>>();

/** A date has whole seconds, so a busy client asks for the same again and again. */
function signatureOf(credentials: Credentials, text: string): Buffer {
  const known = signatures.get(credentials) ?? new Map<string, Buffer>();
  signatures.set(credentials, known);
  const signature =
    known.get(text) ?? createHmac("sha256", secretOf(credentials)).update(text).digest();
  if (known.size >= SIGNATURES_MAX) known.clear();
  known.set(text, signature);
  return signature;
}

const secrets = new WeakMap<Credentials, KeyObject>();

/** Made once: to make it takes longer than to sign with it. */
function secretOf(credentials: Credentials): KeyObject {
  const known = secrets.get(credentials) ?? createSecretKey(Buffer.from(credentials.key, "base64"));
  secrets.set(credentials, known);
  return known;
}

function signedText({ method, segments }: CosmosRequest, date: string): string {
  const isResource = segments.length % 2 === 0;
  const type = isResource ? segments.at(-2) : segments.at(-1);
  const path = isResource ? segments.join("/") : segments.slice(0, -1).join("/");
  // An offer is signed by its id alone: it is named by `_rid`, not by a path of names.
  const link = isResource && type === "offers" ? (segments[1] ?? "").toLowerCase() : path;
  return `${method.toLowerCase()}\n${(type ?? "").toLowerCase()}\n${link}\n${date.toLowerCase()}\n\n`;
}
