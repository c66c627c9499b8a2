// A binding's option as text. Options arrive as the app wrote them, so anything may stand where text is expected.
import type { Binding } from "../protocol.ts";
import { FunctionFault } from "./app-settings.ts";

export function optionText(binding: Binding, option: string): string | undefined {
  const value = binding[option];
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

export function neededText(binding: Binding, option: string): string {
  const text = optionText(binding, option);
  if (text !== undefined && text !== "") return text;
  throw new FunctionFault(`The binding "${binding.name ?? binding.type ?? ""}" needs ${option}.`);
}
