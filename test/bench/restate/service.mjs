// The same case as Restate would run it: a virtual object per case, each provider call a durable step, in order, then the
// status, then the email. Run by node in a process of its own; argv: folder of the packages, port, providers' URL.
//
// It does less than the app: no grants, no gate before a send, no receipts bound to a payload, no record of what is unknown.
// Its payloads and calls are the very same.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Webhook } from "standardwebhooks";

const [, , folder, port, providersUrl, secret] = process.argv;
const rivals = createRequire(`${folder}/package.json`);
const restate = await import(pathToFileURL(rivals.resolve("@restatedev/restate-sdk")).href);

const webhook = new Webhook(secret);

async function call(path, key, body) {
  const response = await fetch(`${providersUrl}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: "Bearer token",
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (response.status >= 300) throw new Error(`${path}: ${response.status}`);
  return answer;
}

async function raise(ctx, { headers, raw }) {
  const { data } = webhook.verify(raw, headers);
  const { invoice, currency, reason, accountOwnerEmail: to, supplier } = data;
  const account = "acme";
  const amount = (Number(data.billed) - Number(data.ordered)).toFixed(2);
  const first = ctx.rand.uuidv4();
  const note = await ctx.run("credit note", () =>
    call(`/supplier-portal/v1/accounts/${account}/credit-notes`, first, {
      invoice,
      amount,
      currency,
      reason,
      operation: first,
    }),
  );
  const second = ctx.rand.uuidv4();
  const mark = await ctx.run("mark", () =>
    call(`/supplier-portal/v1/accounts/${account}/invoices/${invoice}/mark`, second, {
      state: "credit_requested",
      operation: second,
    }),
  );
  ctx.set("case", { ...data, status: "credit_requested", receipts: [note.id, mark.id] });
  const third = ctx.rand.uuidv4();
  const message = await ctx.run("email", () =>
    call("/email/v1/messages", undefined, {
      from: "accounts-payable@countersign.example",
      to,
      subject: `Credit note requested for ${invoice}`,
      text: `We asked ${supplier} for a credit note of ${amount} ${currency} on invoice ${invoice}.`,
      headers: { "X-Operation-Id": third },
    }),
  );
  ctx.set("notification", message.id);
}

await restate.serve({
  services: [restate.object({ name: "InvoiceException", handlers: { raise } })],
  port: Number(port),
});
process.send?.({ kind: "ready" });
process.once("disconnect", () => process.exit(0));
