// The app's settings, read as Azure reads them: names ignore case, `__` and `:` are the same, `%NAME%` in a
// binding is replaced by the host, `connection` names a setting and never is a connection string.
import type { Binding } from "../protocol.ts";

export type AppSettings = {
  values: Record<string, string>;
  get(name: string): string | undefined;
};

/** One function cannot be used as it is configured; the others still run. */
export class FunctionFault extends Error {}

function canonical(name: string): string {
  return name.replaceAll("__", ":").toLowerCase();
}

export function appSettings(values: Record<string, string>): AppSettings {
  const byName = new Map(Object.entries(values).map(([name, value]) => [canonical(name), value]));
  return { values, get: (name) => byName.get(canonical(name)) };
}

/** Replaces each `%NAME%`; a lonely `%` or a missing setting is the function's error. */
export function resolveNames(settings: AppSettings, text: string): string {
  const parts = text.split("%");
  if (parts.length % 2 === 0) throw new FunctionFault(`"${text}" has a "%" that is not closed.`);
  return parts
    .map((part, index) => {
      if (index % 2 === 0) return part;
      const value = settings.get(part);
      if (value === undefined || value === "") {
        throw new FunctionFault(`"%${part}%" does not resolve: there is no such app setting.`);
      }
      return value;
    })
    .join("");
}

export function resolveBinding(settings: AppSettings, binding: Binding): Binding {
  return Object.fromEntries(
    Object.entries(binding).map(([key, value]) => [
      key,
      typeof value === "string" && key !== "connection" ? resolveNames(settings, value) : value,
    ]),
  );
}

/** The connection string behind a binding's `connection`; its default name differs per extension. */
export function connectionString(
  settings: AppSettings,
  connection: unknown,
  defaultName: string,
): string {
  const name =
    typeof connection === "string" && connection !== ""
      ? resolveNames(settings, connection)
      : defaultName;
  for (const candidate of [`AzureWebJobs${name}`, `ConnectionStrings:${name}`, name]) {
    const value = settings.get(candidate);
    if (value !== undefined && value !== "") return value;
  }
  for (const suffix of ["fullyQualifiedNamespace", "accountEndpoint"]) {
    if (settings.get(`${name}__${suffix}`) === undefined) continue;
    throw new FunctionFault(
      `"${name}__${suffix}" asks for a managed identity, which the local host does not have; set "${name}" to a connection string.`,
    );
  }
  throw new FunctionFault(`The app setting "${name}" (a connection string) is missing.`);
}

export function isDisabled(settings: AppSettings, functionName: string): boolean {
  const value =
    settings.get(`AzureWebJobs.${functionName}.Disabled`) ??
    settings.get(`AzureWebJobs_${functionName}_Disabled`);
  return value === "1" || value?.toLowerCase() === "true";
}
