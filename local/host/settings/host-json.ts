// host.json, with every key open to an override by a setting `AzureFunctionsJobHost__a__b`.
// Defaults are Azure's (functionTimeout: 30 minutes; extensions.serviceBus: extension 5.x), except
// functionTimeout -1, which here as there means no limit.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { timeSpanMs } from "./time-span.ts";

const LEVELS = ["trace", "debug", "information", "warning", "error", "critical", "none"] as const;

const timeSpan = z.string().transform((text, context) => {
  const ms = timeSpanMs(text);
  if (ms !== undefined) return ms;
  context.addIssue({ code: "custom", message: `"${text}" is not a time span such as "00:05:00"` });
  return z.NEVER;
});
const wholeNumber = z.coerce.number().int().min(0);
const flag = z.union([z.boolean(), z.stringbool()]);
const level = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(LEVELS));

const ServiceBusOptions = z.object({
  autoCompleteMessages: flag.default(true),
  maxAutoLockRenewalDuration: timeSpan.default(300_000),
  maxConcurrentCalls: wholeNumber.min(1).default(16),
  maxConcurrentSessions: wholeNumber.min(1).default(8),
  maxMessageBatchSize: wholeNumber.min(1).default(1000),
  sessionIdleTimeout: timeSpan.default(60_000),
  prefetchCount: wholeNumber.default(0),
});

const HttpOptions = z.object({
  routePrefix: z.string().default("api"),
  maxOutstandingRequests: z.coerce.number().int().default(-1),
});

const HostJson = z.object({
  version: z.literal("2.0", { error: 'host.json needs "version": "2.0"' }),
  functionTimeout: z
    .union([timeSpan, z.literal("-1").transform(() => -1), z.literal(-1)])
    .default(1_800_000),
  functions: z.array(z.string()).optional(),
  retry: z
    .object({
      strategy: z.enum(["fixedDelay", "exponentialBackoff"]),
      maxRetryCount: z.coerce.number().int(),
      delayInterval: timeSpan.optional(),
      minimumInterval: timeSpan.optional(),
      maximumInterval: timeSpan.optional(),
    })
    .optional(),
  logging: z
    .object({ logLevel: z.record(z.string(), level).default({}) })
    .default({ logLevel: {} }),
  extensions: z
    .object({
      http: HttpOptions.default(() => HttpOptions.parse({})),
      serviceBus: ServiceBusOptions.default(() => ServiceBusOptions.parse({})),
    })
    .default(() => ({ http: HttpOptions.parse({}), serviceBus: ServiceBusOptions.parse({}) })),
});

export type HostJson = z.infer<typeof HostJson>;
export type ServiceBusOptions = z.infer<typeof ServiceBusOptions>;

type Tree = { [key: string]: unknown };

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Writes one override into the tree; a key that differs only in case is the same key. */
function override(tree: Tree, path: string[], value: string): void {
  const [wanted = "", ...rest] = path;
  const key = Object.keys(tree).find((k) => k.toLowerCase() === wanted.toLowerCase()) ?? wanted;
  if (rest.length === 0) {
    tree[key] = value;
    return;
  }
  const child = tree[key];
  const next: Tree = isTree(child) ? child : {};
  tree[key] = next;
  override(next, rest, value);
}

/** Spelled as this schema spells them: .NET's configuration ignores case, a zod object does not. */
const KNOWN_KEYS = [
  "version",
  "functionTimeout",
  "functions",
  "retry",
  "logging",
  "logLevel",
  "extensions",
  "http",
  "serviceBus",
  "strategy",
  "maxRetryCount",
  "delayInterval",
  "minimumInterval",
  "maximumInterval",
  ...Object.keys(ServiceBusOptions.shape),
  ...Object.keys(HttpOptions.shape),
];

function respell(value: unknown, inLogLevel = false): unknown {
  if (!isTree(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      const known = KNOWN_KEYS.find((name) => name.toLowerCase() === key.toLowerCase()) ?? key;
      return [inLogLevel ? key : known, respell(child, known === "logLevel")];
    }),
  );
}

export function readHostJson(appFolder: string, settings: Record<string, string>): HostJson {
  const path = join(appFolder, "host.json");
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${path} cannot be read as JSON: ${String(error)}`, { cause: error });
  }
  const tree: Tree = isTree(parsed) ? parsed : {};
  for (const [name, value] of Object.entries(settings)) {
    const [root, ...rest] = name.split(/__|:/);
    if (root?.toLowerCase() === "azurefunctionsjobhost" && rest.length > 0) {
      override(tree, rest, value);
    }
  }
  const result = HostJson.safeParse(respell(tree));
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`${path} is not valid: ${issues.join("; ")}`);
}

/** Whether a line of this category and level is shown: the longest matching prefix decides. */
export function logFilter(hostJson: HostJson): (category: string, level: string) => boolean {
  const { logLevel } = hostJson.logging;
  const chosen = new Map<string, number>();
  const rank = (level: string) => LEVELS.findIndex((l) => l === level);
  return (category, level) => {
    let floor = chosen.get(category);
    if (floor === undefined) {
      const prefix = Object.keys(logLevel)
        .filter((key) => key !== "default" && (category === key || category.startsWith(`${key}.`)))
        .toSorted((a, b) => b.length - a.length)[0];
      floor = rank(logLevel[prefix ?? "default"] ?? "information");
      chosen.set(category, floor);
    }
    return rank(level) >= floor;
  };
}
