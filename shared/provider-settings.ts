// How each provider is reached: the settings of the app that are about one. Read by config.ts alone, which gives its environment.
//
// A team adds its provider's group below, and finds it in the Config under the group's name. A group is there as a whole, or not at
// all: then registered.ts leaves out what needs it, and no other deployment has to know of it. A setting that stays unnamed in the
// settings example or in Bicep is told by `npm test`.
import { z } from "zod";
import { Credential } from "./domain/credential.ts";

const callTimeoutMs = z.coerce.number().int().min(500).max(120_000).default(10_000);

export const RequiredProviders = z.object({
  SUPPLIER_PORTAL_URL: z.url(),
  SUPPLIER_PORTAL_TOKEN: Credential,
  SUPPLIER_PORTAL_CALL_TIMEOUT_MS: callTimeoutMs,
  EMAIL_URL: z.url(),
  EMAIL_TOKEN: Credential,
  EMAIL_FROM: z.email(),
  EMAIL_CALL_TIMEOUT_MS: callTimeoutMs,
});

export function requiredProviders(settings: z.infer<typeof RequiredProviders>) {
  return {
    supplierPortal: {
      baseUrl: settings.SUPPLIER_PORTAL_URL,
      token: settings.SUPPLIER_PORTAL_TOKEN,
      callTimeoutMs: settings.SUPPLIER_PORTAL_CALL_TIMEOUT_MS,
    },
    email: {
      baseUrl: settings.EMAIL_URL,
      token: settings.EMAIL_TOKEN,
      from: settings.EMAIL_FROM,
      callTimeoutMs: settings.EMAIL_CALL_TIMEOUT_MS,
    },
  };
}

const onboarding = z
  .object({
    CRM_URL: z.url(),
    CRM_TOKEN: Credential,
    CRM_CALL_TIMEOUT_MS: callTimeoutMs,
    TASK_BOARD_URL: z.url(),
    TASK_BOARD_TOKEN: Credential,
    TASK_BOARD_CALL_TIMEOUT_MS: callTimeoutMs,
    TASK_BOARD_SEARCH_SETTLE_MS: z.coerce.number().int().min(0).max(3_600_000).default(120_000),
  })
  .transform((settings) => ({
    crm: {
      baseUrl: settings.CRM_URL,
      token: settings.CRM_TOKEN,
      callTimeoutMs: settings.CRM_CALL_TIMEOUT_MS,
    },
    taskBoard: {
      baseUrl: settings.TASK_BOARD_URL,
      token: settings.TASK_BOARD_TOKEN,
      callTimeoutMs: settings.TASK_BOARD_CALL_TIMEOUT_MS,
      searchSettleMs: settings.TASK_BOARD_SEARCH_SETTLE_MS,
    },
  }));

export const providerGroups = { onboarding };

export type ProviderGroups = {
  -readonly [Name in keyof typeof providerGroups]?: z.output<(typeof providerGroups)[Name]>;
};
export type Providers = ReturnType<typeof requiredProviders> & ProviderGroups;

export const providerSettingNames = [
  RequiredProviders,
  ...Object.values(providerGroups).map((group) => group.in),
].flatMap(({ shape }) => Object.keys(shape));
