// The app's own book, for `--action`: which contract an action's provider offers. Nothing is called.
import type { Contract } from "../../shared/domain/contract.ts";
import { email, emailActions } from "../../shared/providers/email.ts";
import { portalActions, supplierPortal } from "../../shared/providers/supplier-portal.ts";
import type { ContractKind } from "../simulation/contracts.ts";

const nowhere = { baseUrl: "http://127.0.0.1:9", token: "none" };

const providers = [supplierPortal(nowhere), email({ ...nowhere, from: "a@example.org" })];
const actions = [...portalActions, ...emailActions];

export const appActionNames = actions.map(({ name }) => name);

export function contractOfAction(name: string): Contract | undefined {
  const action = actions.find((candidate) => candidate.name === name);
  return providers.find((provider) => provider.name === action?.provider)?.contract;
}

export function kindOf({ idempotency, lookup }: Contract): ContractKind {
  if (idempotency !== undefined) return "key";
  return lookup?.consistency ?? "none";
}
