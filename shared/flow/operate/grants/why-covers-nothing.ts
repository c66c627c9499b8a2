// Why a grant could never cover anything, told when it is given: its case would only wait on, and nobody would see what for.
import { z } from "zod";
import type { Action, Workflow } from "../../../domain/definitions.ts";
import type { GrantRequest } from "./give-grant.ts";

export interface WrongField {
  field: string;
  detail: string;
}

export function whyCoversNothing(
  { limits, only = {} }: GrantRequest,
  { action, workflow }: { action: Action; workflow: Workflow },
): WrongField | undefined {
  const { actions } = workflow;
  if (actions !== undefined && !actions.includes(action.name)) {
    const detail = `${workflow.type} never asks for it; it asks for: ${actions.join(", ")}`;
    return { field: "action", detail };
  }
  return wrongField("limits", limits, action) ?? wrongField("only", only, action);
}

function wrongField(
  field: "limits" | "only",
  given: Readonly<Record<string, string>>,
  { name, payload }: Action,
): WrongField | undefined {
  // A payload that is described in another way has fields that cannot be named here.
  if (!(payload instanceof z.ZodObject)) return undefined;
  const shape: Readonly<Record<string, z.core.$ZodType>> = payload.shape;
  for (const part of Object.keys(given)) {
    const schema = Object.hasOwn(shape, part) ? shape[part] : undefined;
    if (schema === undefined) {
      const known = Object.keys(shape).join(", ");
      return {
        field: `${field}.${part}`,
        detail: `no field of ${name}; its payload has: ${known}`,
      };
    }
    if (z.safeParse(schema, 1).success && !z.safeParse(schema, "1.00").success) {
      const detail = `is a number in ${name}; a grant can judge only what is sent as text`;
      return { field: `${field}.${part}`, detail };
    }
  }
  return undefined;
}
