// Everything that a deployment has registered, checked once and found by name.
import { assertDefinitions } from "./check-definitions.ts";
import type { Book, Parts } from "./definitions.ts";

/** Throws a TerminalFault that names each definition that is wrong. */
export function bookOf(parts: Parts): Book {
  assertDefinitions(parts);
  const workflows = new Map(parts.workflows.map((workflow) => [workflow.type, workflow]));
  const actions = new Map(parts.actions.map((action) => [action.name, action]));
  const providers = new Map(parts.providers.map((provider) => [provider.name, provider]));
  const approvals = new Map(Object.entries(parts.approvals ?? {}));
  return {
    payloadKeys: parts.payloadKeys,
    asksFirst: (tenantId, action) =>
      actions.get(action)?.autonomy !== "auto" ||
      approvals.get(tenantId)?.includes(action) === true,
    workflows: parts.workflows,
    workflow: (type) => workflows.get(type),
    action: (name) => actions.get(name),
    provider: (name) => providers.get(name),
  };
}
