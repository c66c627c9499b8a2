// The actions that this app ships, each with its own adapter and the local providers as its stand-in.
import { join } from "node:path";
import { providersClient, type Entry } from "../../../local/providers/faults.ts";
import { startProviders } from "../../../local/providers/server.ts";
import type { Provider } from "../../../shared/domain/definitions.ts";
import { crm, crmActions } from "../../../shared/providers/crm.ts";
import { email, emailActions } from "../../../shared/providers/email.ts";
import { portalActions, supplierPortal } from "../../../shared/providers/supplier-portal.ts";
import { taskBoard, taskBoardActions } from "../../../shared/providers/task-board.ts";
import type { ContractKind } from "../../simulation/contracts.ts";
import type { AppliedThere, StandIn, Subject } from "./subject.ts";

const token = "crash-token";

const examples: Readonly<Record<string, Subject["example"]>> = {
  "portal.request_credit_note.v1": (tag) => {
    const invoice = `INV-${tag}`;
    const payload = { invoice, amount: "50.00", currency: "EUR", reason: "price_variance" };
    return { target: invoice, payload };
  },
  "portal.mark_invoice.v1": (tag) => {
    const invoice = `INV-${tag}`;
    return { target: invoice, payload: { invoice, state: "approved" } };
  },
  "crm.close_case.v1": (tag) => {
    return { target: `CASE-${tag}`, payload: { case: `CASE-${tag}`, outcome: "completed" } };
  },
  "tasks.create_welcome_task.v1": (tag) => {
    const customer = `Customer ${tag}`;
    return { target: customer, payload: { customer, title: `Welcome ${customer}` } };
  },
  "email.send_notification.v1": (tag) => {
    const to = `owner-${tag}@example.org`;
    return { target: to, payload: { to, subject: `About ${tag}`, text: "It is done." } };
  },
};

const providerOf: Readonly<Record<string, (baseUrl: string) => Provider>> = {
  "supplier-portal": (url) => supplierPortal({ baseUrl: `${url}/supplier-portal`, token }),
  crm: (url) => crm({ baseUrl: `${url}/crm`, token }),
  "task-board": (url) => taskBoard({ baseUrl: `${url}/task-board`, token }),
  email: (url) => email({ baseUrl: `${url}/email`, token, from: "ap@countersign.example" }),
};

const actions = [...portalActions, ...crmActions, ...taskBoardActions, ...emailActions];

export const shippedSubjects: readonly Subject[] = actions.map((action) => {
  const example = examples[action.name];
  const provider = providerOf[action.provider];
  if (example === undefined || provider === undefined) {
    throw new Error(`${action.name} has no example here: give it one, so that it can be tried.`);
  }
  // Sensitive for this campaign: so that a payload that is kept apart is read back, too.
  const sensitive = action.provider === "email";
  return {
    action: { ...action, sensitive },
    provider,
    example,
    startStandIn: startLocalProviders,
  };
});

/** One action of each kind of contract. */
export const actionOfKind: Readonly<Record<ContractKind, string>> = {
  key: "portal.request_credit_note.v1",
  strong: "crm.close_case.v1",
  eventual: "tasks.create_welcome_task.v1",
  none: "email.send_notification.v1",
};

async function startLocalProviders(dataFolder: string): Promise<StandIn> {
  const providers = await startProviders({ dataFolder: join(dataFolder, "providers") });
  const client = providersClient(providers.url);
  return {
    url: providers.url,
    close: () => providers.close(),
    async applied() {
      const journal = await client.journal();
      return journal.filter(({ event }) => event === "applied").map(appliedThere);
    },
  };
}

function appliedThere(entry: Entry): AppliedThere {
  const { action, atMs, operation, resultId = "", target } = entry;
  return {
    action,
    atMs,
    operationId: operation,
    target,
    payload: payloadOf(entry),
    providerId: resultId,
  };
}

/** What the request asked for, without what the adapter adds to it. */
function payloadOf({ action, body, target }: Entry): Record<string, unknown> {
  const told = { ...(body as Record<string, unknown>) };
  for (const own of ["operation", "marker", "from", "headers"]) delete told[own];
  switch (action) {
    case "portal.mark_invoice.v1":
      return { ...told, invoice: target };
    case "crm.close_case.v1":
      return { ...told, case: target };
    case "portal.request_credit_note.v1":
    case "tasks.create_welcome_task.v1":
    case "email.send_notification.v1":
      return told;
  }
}
