// From a signed body to what a provider says of an operation; undefined when it says nothing of one.
import { z } from "zod";
import type { Provider, ProviderReport } from "../../domain/definitions.ts";
import { readJson } from "./read-json.ts";

const Envelope = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

export function readReport(provider: Provider, content: Buffer): ProviderReport | undefined {
  const json = readJson(content);
  if (json.kind === "broken") return undefined;
  const envelope = Envelope.safeParse(json.value).data;
  return envelope && provider.report?.(envelope);
}
