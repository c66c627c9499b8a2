// The samples of one run: local/samples/*.json joined with what is expected of them.
//
// `expected.json` is written by hand. A sample names its faults by action; that they hit its own
// invoice or its own recipient is added here. Run again on kept state, the samples are new invoices
// (`INV-20931-R2`) from the same companies: what earlier runs left stays as it was.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Action, FaultOrder } from "../../providers/faults.ts";
import { sources } from "../azure/sources.ts";
import { Expected, SampleText } from "./sample-text.ts";
import type { Delivery } from "./sample-text.ts";

export interface Sample {
  name: string;
  story: string;
  source: string;
  tenantId: string;
  secret?: string;
  /** The reference that names the case: an invoice, or a case of the CRM. */
  invoice: string;
  deliveries: Delivery[];
  faults: FaultOrder[];
  kill?: { action: Action; target: string; account: string; when: "received" | "applied" };
  expected: Expected;
}

const samplesFolder = join(import.meta.dirname, "../../samples");

/** How a target of the samples reads in the n-th run: an invoice number or an email address. */
export function inRun(run: number, target: string): string {
  if (run === 1) return target;
  return target.includes("@") ? target.replace("@", `+r${run}@`) : `${target}-R${run}`;
}

/** The emails go through one account of everybody; the portal has one for each tenant. */
export function accountOf(action: Action, tenantId: string): string {
  return action === "email.send_notification.v1" ? "default" : tenantId;
}

function idInRun(run: number, id: string): string {
  return run === 1 ? id : `${id}-r${run}`;
}

function deliveryInRun(run: number, delivery: Delivery): Delivery {
  const { after, data } = delivery;
  const names = ["invoice", "crmCase", "customer", "accountOwnerEmail"] as const;
  const named = names.flatMap((name) => {
    const value = data[name];
    return value === undefined ? [] : [[name, inRun(run, value)]];
  });
  return {
    ...delivery,
    id: idInRun(run, delivery.id),
    data: { ...data, ...Object.fromEntries(named) },
    ...(after !== undefined && "answered" in after
      ? { after: { answered: idInRun(run, after.answered) } }
      : {}),
  };
}

export function sampleInRun(run: number, text: SampleText, expected: Expected): Sample {
  const tenantId = sources[text.source]?.tenantId;
  if (tenantId === undefined) throw new Error(`${text.name}: unknown source ${text.source}`);
  const deliveries = text.deliveries.map((delivery) => deliveryInRun(run, delivery));
  const told = (name: "invoice" | "crmCase" | "customer" | "accountOwnerEmail"): string =>
    deliveries.flatMap(({ data }) => data[name] ?? [])[0] ?? "";
  const invoice = told("invoice") || told("crmCase");
  const targetOf = (action: Action): string => {
    if (action === "email.send_notification.v1") return told("accountOwnerEmail");
    return action === "tasks.create_welcome_task.v1" ? told("customer") : invoice;
  };
  const aim = (action: Action) => ({
    action,
    target: targetOf(action),
    account: accountOf(action, tenantId),
  });
  const { name, story, source, secret, kill } = text;
  return {
    name,
    story,
    source,
    tenantId,
    invoice,
    deliveries,
    ...(secret === undefined ? {} : { secret }),
    faults: text.faults.map(({ action, ...fault }) => ({ ...fault, ...aim(action) })),
    ...(kill === undefined ? {} : { kill: { ...aim(kill.onAction), when: kill.when } }),
    expected: {
      ...expected,
      intents: expected.intents.map((intent) => ({ ...intent, target: inRun(run, intent.target) })),
    },
  };
}

async function readJson(name: string): Promise<unknown> {
  return JSON.parse(await readFile(join(samplesFolder, name), "utf8")) as unknown;
}

export async function loadSamples(run: number): Promise<Sample[]> {
  const names = (await readdir(samplesFolder)).filter((name) => name.endsWith(".json")).toSorted();
  const expectations = z.record(z.string(), Expected).parse(await readJson("expected.json"));
  const samples: Sample[] = [];
  for (const name of names.filter((one) => one !== "expected.json")) {
    for (const text of z.array(SampleText).parse(await readJson(name))) {
      const expected = expectations[text.name];
      if (expected === undefined) throw new Error(`${text.name} is not in expected.json`);
      samples.push(sampleInRun(run, text, expected));
    }
  }
  const unused = Object.keys(expectations).filter(
    (name) => !samples.some((sample) => sample.name === name),
  );
  if (unused.length > 0) throw new Error(`expected.json has no sample for ${unused.join(", ")}`);
  return samples;
}
