// From a signed body to what a provider says of an operation; undefined when it says nothing of one.
import { z } from "zod";
import type { Provider, ProviderReport } from "../../domain/definitions.ts";
import { TerminalFault } from "../../domain/faults.ts";
import { fieldsOf } from "../../domain/fields-of.ts";
import { Report } from "../../domain/records/report.ts";
import { readJson } from "./read-json.ts";

const Envelope = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });
const Told = Report.pick({
  about: true,
  providerId: true,
  stage: true,
  target: true,
  echoed: true,
}).optional();

export function readReport(provider: Provider, content: Buffer): ProviderReport | undefined {
  const json = readJson(content);
  if (json.kind === "broken") return undefined;
  const envelope = Envelope.safeParse(json.value).data;
  const { data, error } = Told.safeParse(envelope && provider.report?.(envelope));
  if (error === undefined) return data as ProviderReport | undefined;
  // What cannot be kept must not be answered 202: the provider sends it again, and a mended adapter reads it.
  const fields = fieldsOf(error.issues);
  throw new TerminalFault(`provider ${provider.name}: its report(...) is none, in: ${fields}.`);
}
