// Signs a request with the account's key, as Azure documents it and the SDK itself does; but the SDK makes the key ready anew for
// each request. What is signed is verb, type, link and the date in whole seconds: so within a second most requests of a busy
// worker have one signature.
import { createHmac, createSecretKey } from "node:crypto";
import type { RequestInfo, TokenProvider } from "@azure/cosmos";
import { TerminalFault } from "../../domain/faults.ts";

/** Names are matched whatever their case, as the SDK does. */
export function readConnectionString(text: string): { endpoint: string; key: string } {
  const fields = new Map(
    text.split(";").map((pair) => {
      const equalsAt = pair.indexOf("=");
      return [pair.slice(0, equalsAt).trim().toLowerCase(), pair.slice(equalsAt + 1).trim()];
    }),
  );
  const [endpoint, key] = [fields.get("accountendpoint"), fields.get("accountkey")];
  if (endpoint === undefined || key === undefined) {
    throw new TerminalFault(
      "The Cosmos DB connection string needs AccountEndpoint and AccountKey; copy it from the account's keys.",
    );
  }
  return { endpoint, key };
}

/** Whatever its type says, the SDK names the account itself by nothing. */
type Signed = Omit<RequestInfo, "resourceId"> & { resourceId?: string };

/** The SDK puts the date into the headers before it asks. */
export function keySigner(accountKey: string): TokenProvider {
  const secret = createSecretKey(Buffer.from(accountKey, "base64"));
  let signedAt = "";
  const tokens = new Map<string, string>();
  return ({ headers, resourceId = "", resourceType, verb }: Signed) => {
    const date = String(headers["x-ms-date"]);
    if (date !== signedAt) tokens.clear();
    signedAt = date;
    const text =
      `${verb}\n${resourceType}\n`.toLowerCase() + `${resourceId}\n${date.toLowerCase()}\n\n`;
    const known = tokens.get(text);
    if (known !== undefined) return Promise.resolve(known);
    const signature = createHmac("sha256", secret).update(text).digest("base64");
    const token = `type=master&ver=1.0&sig=${signature}`;
    tokens.set(text, token);
    return Promise.resolve(token);
  };
}
