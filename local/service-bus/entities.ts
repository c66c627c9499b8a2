// Which queues and topics there are, read from either of two shapes: this project's own
// (`serviceBus` in infra/entities.json, the property names of Azure's resource templates) and the
// config.json of Microsoft's Service Bus emulator (`UserConfig.Namespaces[0]`). The two differ only
// in the case of the first letter and in where the properties stand, so the second is turned into
// the first.
//
// Defaults are Azure's for a queue made without settings: lock one minute, ten deliveries,
// duplicate window ten minutes, no time to live. Durations are ISO 8601 ("PT1M30S").

import { z } from "zod";

const DURATION = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

const Duration = z.string().transform((text, context) => {
  const parts = DURATION.exec(text);
  if (parts === null || text.endsWith("P") || text.endsWith("T")) {
    context.addIssue(`"${text}" is no ISO 8601 duration of days, hours, minutes and seconds`);
    return z.NEVER;
  }
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
});

const receiving = {
  requiresSession: z.boolean().default(false),
  lockDuration: Duration.default(60_000),
  maxDeliveryCount: z.int().positive().default(10),
  defaultMessageTimeToLive: Duration.optional(),
  deadLetteringOnMessageExpiration: z.boolean().default(false),
};
/** Kept and shown to the administration client; the broker does nothing with them. */
const described = {
  userMetadata: z.string().optional(),
  maxSizeInMegabytes: z.int().positive().optional(),
};
const detecting = {
  requiresDuplicateDetection: z.boolean().default(false),
  duplicateDetectionHistoryTimeWindow: Duration.default(600_000),
};

const CorrelationFilter = z.record(z.string(), z.unknown());
const Rule = z.object({
  name: z.string().min(1),
  action: z.undefined("Rule actions are not supported").optional(),
  correlationFilter: CorrelationFilter.optional(),
  sqlFilter: z.string().optional(),
});
export const QueueConfig = z.object({
  name: z.string().min(1),
  ...receiving,
  ...detecting,
  ...described,
});
export const SubscriptionConfig = z.object({
  name: z.string().min(1),
  ...receiving,
  ...described,
  rules: z.array(Rule).default([]),
});
export const TopicConfig = z.object({
  name: z.string().min(1),
  ...detecting,
  ...described,
  defaultMessageTimeToLive: Duration.optional(),
  subscriptions: z.array(SubscriptionConfig).default([]),
});
const Entities = z.object({
  queues: z.array(QueueConfig).default([]),
  topics: z.array(TopicConfig).default([]),
});

/** As a caller writes them: own shape, emulator shape, or an object with a `serviceBus` in it. */
export type ServiceBusEntities =
  | z.input<typeof Entities>
  | EmulatorConfig
  | { serviceBus: unknown };
export type EmulatorConfig = { UserConfig: { Namespaces: unknown[] } };

/** As the broker uses them: durations in milliseconds, defaults filled in. */
export type EntitySettings = z.output<typeof Entities>;
export type QueueSettings = z.output<typeof QueueConfig>;
export type TopicSettings = z.output<typeof TopicConfig>;
export type SubscriptionSettings = z.output<typeof SubscriptionConfig>;
export type RuleSettings = z.output<typeof Rule>;

export function readEntities(entities: unknown): EntitySettings {
  const parsed = Entities.safeParse(ownShape(entities ?? {}));
  if (parsed.success) return parsed.data;
  throw new Error(`The entities file cannot be used.\n${z.prettifyError(parsed.error)}`);
}

function ownShape(entities: unknown): unknown {
  if (!isObject(entities)) return entities;
  if ("serviceBus" in entities) return entities["serviceBus"];
  if (!("UserConfig" in entities)) return entities;
  const [namespace] = (entities as EmulatorConfig).UserConfig.Namespaces;
  return lowerFirst(namespace);
}

/** The emulator's shape in ours: `Properties` lifted into its owner, first letters lowered. */
function lowerFirst(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerFirst);
  if (!isObject(value)) return value;
  const lowered: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    // A correlation filter's own `Properties` are application properties; their names stay.
    if (key === "Properties" && !("Name" in value)) lowered["properties"] = inner;
    else if (key === "Properties") Object.assign(lowered, lowerFirst(inner));
    else if (key === "SqlFilter" && isObject(inner)) lowered["sqlFilter"] = inner["SqlExpression"];
    else lowered[key.charAt(0).toLowerCase() + key.slice(1)] = lowerFirst(inner);
  }
  return lowered;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
