// Which messages of a topic a subscription wants: those that match at least one of its rules. A
// subscription without rules gets everything, as Azure's default rule does.
//
// A correlation filter is an AND of equalities on system properties and application properties; a
// SQL filter is a condition (sql-filter.ts). Rule actions are not supported and are refused at start.

import type { RuleSettings } from "../../entities.ts";
import { readForFilters } from "../content.ts";
import type { MessageContent } from "../message.ts";
import { parseSqlFilter } from "./sql-filter.ts";

/** What a filter can look at. */
export type FilterView = {
  system: Record<string, unknown>;
  application: Map<string, unknown>;
};

export type Filter = (view: FilterView) => boolean;

/** System properties by their place in the AMQP properties section. */
const SYSTEM_FIELDS: Record<string, number> = {
  messageId: 0,
  to: 2,
  label: 3,
  replyTo: 4,
  correlationId: 5,
  contentType: 6,
  sessionId: 10,
  replyToSessionId: 12,
};

export function filterOf(rules: RuleSettings[]): Filter {
  if (rules.length === 0) return () => true;
  const filters = rules.map((rule) => {
    if (rule.sqlFilter !== undefined) return parseSqlFilter(rule.sqlFilter);
    if (rule.correlationFilter !== undefined) return correlationFilter(rule.correlationFilter);
    return () => true;
  });
  return (view) => filters.some((matches) => matches(view));
}

export function viewOf(content: MessageContent): FilterView {
  const { fields, applicationProperties } = readForFilters(content);
  const system: Record<string, unknown> = {};
  for (const [name, index] of Object.entries(SYSTEM_FIELDS)) system[name] = fields[index];
  return { system, application: applicationProperties };
}

function correlationFilter(filter: Record<string, unknown>): Filter {
  const { properties, applicationProperties, ...system } = filter;
  const application = Object.entries(properties ?? applicationProperties ?? {});
  const fields = Object.entries(system).map(([name, value]) => {
    const field = name === "subject" ? "label" : name;
    if (!(field in SYSTEM_FIELDS)) throw new Error(`No system property "${name}" to filter by.`);
    return [field, value] as const;
  });
  return (view) =>
    fields.every(([name, value]) => view.system[name] === value) &&
    application.every(([name, value]) => view.application.get(name) === value);
}
