// The settings of a model, as the app reads them: checked together, refused by name, never repeated.
//
// A key goes to whatever endpoint is set. Without a key the app shows its own identity, and that only to an https endpoint
// under the names of Azure's model services: under azure.com alone anybody's virtual machine has a name, too. All tries of one
// question must fit into a turn, with time left for the reads and writes around it.
import { z } from "zod";
import { Credential } from "../domain/credential.ts";

export interface ModelConfig {
  baseUrl: string;
  model: string;
  access: { key: string } | { clientId?: string };
  callTimeoutMs: number;
  repairsMax: number;
}

/** Of a turn's time. */
const turnShareMax = 0.8;

const empty = z.literal("").transform(() => undefined);
const endpoint = z
  .url({ protocol: /^https?$/, message: "the http or https address before /chat/completions" })
  .refine((text) => isPlainAddress(new URL(text)), "no user, password, query or fragment")
  .refine(
    (text) => !isAzure(new URL(text)) || /\/openai\/v1\/?$/.test(new URL(text).pathname),
    "an Azure endpoint ends with /openai/v1",
  );

export const ModelSettings = z
  .object({
    MODEL_ENDPOINT: endpoint,
    MODEL_NAME: z.string().min(1).max(200),
    MODEL_API_KEY: z.union([empty, Credential]).optional(),
    MODEL_CLIENT_ID: z.union([empty, z.guid()]).optional(),
    MODEL_CALL_TIMEOUT_MS: z.coerce.number().int().min(1000).max(120_000).default(20_000),
    MODEL_REPAIRS_MAX: z.coerce.number().int().min(0).max(3).default(2),
    TURN_BUDGET_MS: z.number(),
    /** The library would send them with each call, and let them replace the credential. */
    OPENAI_CUSTOM_HEADERS: z.undefined("must not be set where a model decides").optional(),
  })
  .transform((settings, context): ModelConfig => {
    const refuse = (setting: keyof typeof settings, message: string): never => {
      context.addIssue({ code: "custom", path: [setting], message });
      return z.NEVER;
    };
    const { MODEL_API_KEY, MODEL_CLIENT_ID: clientId, MODEL_ENDPOINT: baseUrl } = settings;
    const url = new URL(baseUrl);
    const isForIdentity = isAzure(url) && url.protocol === "https:";
    if (MODEL_API_KEY === undefined && !isForIdentity) {
      return refuse(
        "MODEL_API_KEY",
        "give one; the app's own identity is shown only to https endpoints of Azure's model services",
      );
    }
    if (MODEL_API_KEY !== undefined && clientId !== undefined) {
      return refuse("MODEL_CLIENT_ID", "give this or MODEL_API_KEY, not both");
    }
    const { MODEL_CALL_TIMEOUT_MS: callTimeoutMs, MODEL_REPAIRS_MAX: repairsMax } = settings;
    const shareMs = Math.floor(settings.TURN_BUDGET_MS * turnShareMax);
    if (callTimeoutMs * (1 + repairsMax) > shareMs) {
      return refuse(
        "MODEL_CALL_TIMEOUT_MS",
        `times 1 + MODEL_REPAIRS_MAX must be at most ${shareMs}, four fifths of TURN_BUDGET_MS`,
      );
    }
    const identity = clientId === undefined ? {} : { clientId };
    const access = MODEL_API_KEY === undefined ? identity : { key: MODEL_API_KEY };
    return { baseUrl, model: settings.MODEL_NAME, access, callTimeoutMs, repairsMax };
  });

function isAzure({ hostname }: URL): boolean {
  return /\.(openai|services\.ai|cognitiveservices)\.azure\.com$/.test(hostname);
}

function isPlainAddress({ hash, password, search, username }: URL): boolean {
  return `${username}${password}${search}${hash}` === "";
}
