// Finds what is wrong with a team's definitions, at start-up: all of it at once, by name and field, with what to do. Pure.
//
// For example a name that nobody registered, a contract whose numbers would allow an unsafe retry, or a status that does not exist.
// A mistake that depends on a case's facts shows only in a turn, which then holds the case.
import { whyUnsafe } from "./contract.ts";
import type { Action, Parts, Provider, Workflow } from "./definitions.ts";
import { TerminalFault } from "./faults.ts";

const actionName = /^[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)+\.v[1-9]\d*$/;
const kebabName = /^[a-z][a-z0-9-]{0,99}$/;

export function assertDefinitions(parts: Parts): void {
  const wrong = [
    ...parts.providers.flatMap(wrongWithProvider),
    ...parts.actions.flatMap((action) => wrongWithAction(action, parts)),
    ...parts.workflows.flatMap((workflow) => wrongWithWorkflow(workflow, parts)),
    ...wrongWithApprovals(parts),
  ];
  const names = {
    provider: parts.providers.map(({ name }) => name),
    action: parts.actions.map(({ name }) => name),
    workflow: parts.workflows.map(({ type }) => type),
  };
  for (const [what, given] of Object.entries(names)) {
    for (const name of given.filter((one, index) => given.indexOf(one) < index)) {
      wrong.push(`${what} ${name} is registered twice; give each a name of its own`);
    }
  }
  if (wrong.length > 0) throw new TerminalFault(`definitions are wrong: ${wrong.join("; ")}.`);
}

function wrongWithProvider({ apiVersion, contract, lookup, name }: Provider): string[] {
  const wrong = whyUnsafe(contract).map((why) => `contract.${why}`);
  if (!kebabName.test(name)) wrong.push("name must be of a-z, 0-9 and -, like card-payments");
  if (apiVersion === "") {
    wrong.push("apiVersion is empty; say which one its contract was read of, like v1");
  }
  if (contract.lookup === undefined && lookup !== undefined) {
    wrong.push("lookup(...) is there, and contract.lookup does not say what it can prove");
  }
  if (contract.lookup !== undefined && lookup === undefined) {
    wrong.push("contract.lookup promises a look-up; give the provider a lookup(...)");
  }
  return wrong.map((why) => `provider ${name}: ${why}`);
}

function wrongWithAction(action: Action, { payloadKeys, providers }: Parts): string[] {
  const { approvalMs, consequence, name, provider, sensitive } = action;
  const wrong: string[] = [];
  if (!actionName.test(name)) {
    wrong.push("name must be a system, what is done there and a version, like payments.refund.v1");
  }
  if (!providers.some((known) => known.name === provider)) {
    wrong.push(`provider ${provider} is not registered; ${registered(providers)}`);
  }
  if (consequence.trim() === "") {
    wrong.push("consequence is empty; say in one sentence what doing it twice would mean");
  }
  if (approvalMs !== undefined && !(approvalMs > 0)) {
    wrong.push("approvalMs must be above 0; leave it out for three days");
  }
  if (sensitive === true && payloadKeys === undefined) {
    wrong.push("it is sensitive, and no key for its payload is configured: set PAYLOAD_KEYS");
  }
  return wrong.map((why) => `action ${name}: ${why}`);
}

function wrongWithWorkflow(workflow: Workflow, parts: Parts): string[] {
  const { actions = [], events, initialStatus, revision, statuses, type } = workflow;
  const wrong: string[] = [];
  if (!kebabName.test(type)) wrong.push("type must be of a-z, 0-9 and -, like refund-request");
  if (!Number.isInteger(revision) || revision < 1) {
    wrong.push("revision must be a whole number, 1 or more");
  }
  for (const to of Object.keys(workflow.upcasters ?? {})) {
    if (Number(to) >= 2 && Number(to) <= revision) continue;
    wrong.push(`upcaster ${to} leads to none of the revisions 2 to ${revision}; raise revision`);
  }
  if (!Object.hasOwn(statuses, initialStatus)) {
    const known = Object.keys(statuses).join(", ");
    wrong.push(`initialStatus ${initialStatus} is none of its statuses: ${known}`);
  } else if (statuses[initialStatus]?.final === true) {
    wrong.push(`initialStatus ${initialStatus} is final: nothing would ever be decided`);
  }
  if (Object.keys(events).length === 0) wrong.push("events is empty: no case could ever be opened");
  for (const name of actions) {
    if (parts.actions.some((action) => action.name === name)) continue;
    wrong.push(`actions names ${name}, which is not registered; ${registered(parts.actions)}`);
  }
  return wrong.map((why) => `workflow ${type}: ${why}`);
}

function wrongWithApprovals({ actions, approvals = {} }: Parts): string[] {
  return Object.values(approvals)
    .flat()
    .filter((name) => !actions.some((action) => action.name === name))
    .map((name) => `setting APPROVALS: no action ${name} is registered; ${registered(actions)}`);
}

function registered(named: readonly { name: string }[]): string {
  return `registered are: ${named.map(({ name }) => name).join(", ") || "none"}`;
}
