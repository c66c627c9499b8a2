// Signs one invoice exception as a source would and prints it as a configuration for curl:
//
//   node local/setup.mjs local/start/sign.ts --invoice INV-30001 | curl -sS -i -K -
//
// It finds the running copy and its secrets in the state folder. What it signs is also shown on
// standard error. `--body` signs any other text instead, `--id` repeats a delivery.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { runningFile, usualStatePath } from "./azure/state-folder.ts";
import { Secrets, secretOf, secretsFile } from "./azure/sources.ts";
import { signature } from "./run/feed.ts";

const { values } = parseArgs({
  options: {
    state: { type: "string", default: usualStatePath },
    source: { type: "string", default: "acme-erp" },
    invoice: { type: "string", default: `INV-${Date.now()}` },
    billed: { type: "string", default: "1249.00" },
    ordered: { type: "string", default: "1199.00" },
    email: { type: "string", default: "you@acme.example" },
    id: { type: "string", default: `dlv-${randomUUID()}` },
    body: { type: "string" },
  },
});

async function readState(name: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(join(resolve(values.state), name), "utf8")) as unknown;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    process.stderr.write(`nothing runs on ${values.state}; start it with npm start.\n`);
    process.exit(3);
  }
}

const secrets = Secrets.pick({ webhooks: true }).parse(await readState(secretsFile));
const { hostUrl } = (await readState(runningFile)) as { hostUrl: string };
const body =
  values.body ??
  JSON.stringify({
    type: "invoice.exception.raised",
    timestamp: new Date().toISOString(),
    data: {
      invoice: values.invoice,
      supplier: "Contoso Paper",
      supplierAccount: "SUP-77",
      purchaseOrder: "PO-9001",
      currency: "EUR",
      billed: values.billed,
      ordered: values.ordered,
      reason: "price_variance",
      accountOwnerEmail: values.email,
    },
  });

/** curl's configuration quotes as JSON does, for the characters that can be in here. */
const quoted = (text: string): string => JSON.stringify(text);
const headers = {
  "content-type": "application/json",
  ...signature(secretOf(secrets, values.source), values.id, body),
};
process.stderr.write(`${body}\n`);
process.stdout.write(
  [
    `url = ${quoted(`${hostUrl}/api/webhooks/${values.source}`)}`,
    ...Object.entries(headers).map(([name, value]) => `header = ${quoted(`${name}: ${value}`)}`),
    `data-binary = ${quoted(body)}`,
    "",
  ].join("\n"),
);
