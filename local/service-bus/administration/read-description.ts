// A description that a client sends, as settings. It is whole, as in Azure: what it leaves out is at
// its default, also in an update.
//
// What the broker does not do is refused by name where it is asked for, and taken where it is at its
// default, because an update sends everything back that a get has shown.

import { z } from "zod";

import type { WantedEntity } from "../broker/catalog.ts";
import { filterOf } from "../broker/topics/rule.ts";
import { QueueConfig, SubscriptionConfig, TopicConfig, type RuleSettings } from "../entities.ts";
import { FOR_EVER, MAX_MESSAGE_SIZE_KB } from "./describe.ts";
import { badRequest, notSupported, type Refused } from "./refusals.ts";
import { childOf, type Element } from "./xml.ts";

export type Named =
  | { kind: "queue"; name: string }
  | { kind: "topic"; name: string }
  | { kind: "subscription"; topic: string; name: string };

const LOCK_MAX_MS = 300_000;

/** How each element that says something is read; the names are those of the entities file. */
const READ: Record<string, (text: string) => unknown> = {
  LockDuration: String,
  DefaultMessageTimeToLive: (text) => (text === FOR_EVER ? undefined : text),
  DuplicateDetectionHistoryTimeWindow: String,
  RequiresSession: truth,
  RequiresDuplicateDetection: truth,
  DeadLetteringOnMessageExpiration: truth,
  MaxDeliveryCount: Number,
  MaxSizeInMegabytes: Number,
  UserMetadata: String,
};

/** What is taken at this value only, and means nothing then. */
const ONLY: Record<string, string[]> = {
  ForwardTo: [""],
  ForwardDeadLetteredMessagesTo: [""],
  Status: ["Active"],
  EntityAvailabilityStatus: ["Available"],
  EnablePartitioning: ["false"],
  EnableExpress: ["false"],
  AutoDeleteOnIdle: [FOR_EVER],
  MaxMessageSizeInKilobytes: [String(MAX_MESSAGE_SIZE_KB), "0"],
  AuthorizationRules: [""],
  IsAnonymousAccessible: ["false"],
};

/** Hints for how the service goes about it; the broker goes its own way. */
const IGNORED = new Set([
  "EnableBatchedOperations",
  "SupportOrdering",
  "DeadLetteringOnFilterEvaluationExceptions",
  "DefaultRuleDescription",
]);

export function readDescription(named: Named, description: Element): WantedEntity | Refused {
  const settings: Record<string, unknown> = { name: named.name };
  for (const { name, text, children } of description.children) {
    const read = READ[name];
    if (read !== undefined) settings[name.charAt(0).toLowerCase() + name.slice(1)] = read(text);
    else if (IGNORED.has(name)) continue;
    else if (ONLY[name]?.includes(text) !== true || children.length > 0) {
      return notSupported(`${name} "${text}" is not supported by the local Service Bus.`);
    }
  }
  switch (named.kind) {
    case "queue":
      return checked(QueueConfig, settings, (queue) => ({ kind: "queue", settings: queue }));
    case "topic":
      return checked(TopicConfig, settings, (topic) => ({ kind: "topic", settings: topic }));
    case "subscription": {
      const rules = readRules(childOf(description, "DefaultRuleDescription"));
      if ("status" in rules) return rules;
      const { topic } = named;
      return checked(SubscriptionConfig, { ...settings, rules }, (subscription) => ({
        kind: "subscription",
        topic,
        settings: subscription,
      }));
    }
  }
}

function checked<Settings extends object>(
  schema: z.ZodType<Settings>,
  given: object,
  wanted: (settings: Settings) => WantedEntity,
): WantedEntity | Refused {
  const parsed = schema.safeParse(given);
  if (!parsed.success) return badRequest(z.prettifyError(parsed.error));
  const { lockDuration } = parsed.data as { lockDuration?: number };
  if (lockDuration !== undefined && lockDuration > LOCK_MAX_MS) {
    return badRequest("LockDuration is over five minutes, which is the longest.");
  }
  return wanted(parsed.data);
}

/** The rule that a subscription begins with; none, and it gets everything. */
function readRules(rule: Element | undefined): RuleSettings[] | Refused {
  const filter = childOf(rule, "Filter");
  if (rule === undefined || filter === undefined) return [];
  if (childOf(childOf(rule, "Action"), "SqlExpression") !== undefined) {
    return notSupported("Rule actions are not supported by the local Service Bus.");
  }
  const name = childOf(rule, "Name")?.text ?? "$Default";
  const sqlFilter = childOf(filter, "SqlExpression")?.text;
  if ((childOf(filter, "Parameters")?.children.length ?? 0) > 0) {
    return notSupported("Parameters of a SQL filter are not supported by the local Service Bus.");
  }
  const rules =
    sqlFilter === undefined
      ? [{ name, correlationFilter: readCorrelation(filter) }]
      : [{ name, sqlFilter }];
  try {
    filterOf(rules);
  } catch (error) {
    // A filter says what it does not understand, and that is the client's to hear.
    if (error instanceof Error) return badRequest(error.message);
    throw error;
  }
  return rules;
}

function readCorrelation(filter: Element): Record<string, unknown> {
  const properties = childOf(filter, "Properties")?.children ?? [];
  const system = filter.children
    .filter(({ name }) => name !== "Properties")
    .map(({ name, text }) => [name.charAt(0).toLowerCase() + name.slice(1), text]);
  return {
    ...Object.fromEntries(system),
    applicationProperties: Object.fromEntries(
      properties.map((pair) => [childOf(pair, "Key")?.text, typed(childOf(pair, "Value"))]),
    ),
  };
}

function typed(value: Element | undefined): unknown {
  const [, type = ""] =
    Object.entries(value?.attributes ?? {}).find(([name]) => name.endsWith(":type")) ?? [];
  const text = value?.text ?? "";
  if (type.endsWith(":boolean")) return text === "true";
  return /:(double|int|long)$/.test(type) ? Number(text) : text;
}

/** Anything else is left for the schema to refuse. */
function truth(text: string): unknown {
  return text === "true" ? true : text === "false" ? false : text;
}
