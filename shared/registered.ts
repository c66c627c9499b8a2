// What this deployment knows: its workflows, the actions that they may ask for, and the providers that carry those out. A team
// adds its own in the three lists below; `bookOf` then checks at start-up that they fit each other.
import { azureToken } from "./agent/azure-token.ts";
import type { ModelConfig } from "./agent/model-settings.ts";
import type { Config } from "./config.ts";
import type { Parts, Workflow } from "./domain/definitions.ts";
import { crm, crmActions } from "./providers/crm.ts";
import { email, emailActions } from "./providers/email.ts";
import { portalActions, supplierPortal } from "./providers/supplier-portal.ts";
import { taskBoard, taskBoardActions } from "./providers/task-board.ts";
import { customerOnboarding } from "./workflows/customer-onboarding/customer-onboarding.ts";
import { decideByModel } from "./workflows/invoice-exception/decide-by-model.ts";
import {
  invoiceException,
  invoiceExceptionBy,
} from "./workflows/invoice-exception/invoice-exception.ts";

type Registered = Pick<Parts, "workflows" | "actions" | "providers">;

export async function registered(config: Config): Promise<Registered> {
  const { onboarding } = config;
  return {
    workflows: [
      await invoicesBy(config.model),
      ...(onboarding === undefined ? [] : [customerOnboarding]),
    ],
    actions: [
      ...portalActions,
      ...emailActions,
      ...(onboarding === undefined ? [] : [...crmActions, ...taskBoardActions]),
    ],
    providers: [
      supplierPortal(config.supplierPortal),
      email(config.email),
      ...(onboarding === undefined ? [] : [crm(onboarding.crm), taskBoard(onboarding.taskBoard)]),
    ],
  };
}

/** The client is loaded only where a model decides: it would cost every cold start a quarter of a second. */
async function invoicesBy(settings: ModelConfig | undefined): Promise<Workflow> {
  if (settings === undefined) return invoiceException;
  const { openModel } = await import("./agent/ask-model.ts");
  const { access, ...rest } = settings;
  const key = "key" in access ? access.key : azureToken(access);
  return invoiceExceptionBy(decideByModel(openModel({ ...rest, key })));
}
