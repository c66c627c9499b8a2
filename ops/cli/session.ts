// One run of a command: where it speaks to, whose tenant it is about, and how it shows what came back.
import { InvalidArgumentError, Option, type Command } from "commander";
import { z } from "zod";
import { apiOf, pathOf, type Api, type Query } from "./api.ts";
import { exitCodes, Failure } from "./exit-codes.ts";
import { json } from "./show.ts";
import { targetOf, type TargetOptions } from "./target.ts";
import type { Terminal } from "./terminal.ts";

export interface Session {
  terminal: Terminal;
  api: Api;
  isJson: boolean;
  /** The one that was named, else the only one that the caller has a role in. */
  tenant(): Promise<string>;
  /** The answer as it came with --json, in words otherwise. */
  show(answer: unknown, inWords: () => string): void;
}

export const globalOptions: readonly Option[] = [
  new Option("--url <address>", "the deployment; else COUNTERSIGN_URL, else the local Azure"),
  new Option("--tenant <id>", "else COUNTERSIGN_TENANT, else your only one"),
  new Option(
    "--persona <name>",
    "on the local Azure, who to be: rita, olga, otto, abel, ivo or una",
  ),
  new Option("--json", "the API's own answer, for scripts"),
];

interface Globals extends TargetOptions {
  tenant?: string;
  json?: boolean;
}

export type Opens = (command: Command) => Session;

export function opener(terminal: Terminal): Opens {
  return (command) => {
    const globals = command.optsWithGlobals<Globals>();
    const api = apiOf(targetOf(globals, terminal.env), terminal.signal);
    const isJson = globals.json === true;
    const named = globals.tenant ?? terminal.env["COUNTERSIGN_TENANT"];
    return {
      terminal,
      api,
      isJson,
      tenant: async () => named ?? onlyTenant(api),
      show: (answer, inWords) => terminal.out(isJson ? json(answer) : inWords()),
    };
  };
}

const Me = z.looseObject({ tenants: z.array(z.looseObject({ tenantId: z.string() })) });

async function onlyTenant(api: Api): Promise<string> {
  const { tenants } = Me.parse(await api.get("me"));
  const [first] = tenants;
  if (first !== undefined && tenants.length === 1) return first.tenantId;
  const names = tenants.map(({ tenantId }) => tenantId).join(", ");
  const [code, what] =
    first === undefined
      ? [exitCodes.forbidden, "you have a role in no tenant here."]
      : [exitCodes.usage, `say which tenant with --tenant or COUNTERSIGN_TENANT: ${names}.`];
  throw new Failure(code, what);
}

/** What the program reads of an answer; a wrong shape is another version of the app, not the user's fault. */
export function read<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const place = parsed.error.issues[0]?.path.join(".") ?? "";
  const what = `the API answered something else than this program knows (${place}); use the program of the same version, or --json.`;
  throw new Failure(exitCodes.refused, what);
}

const pageMax = 100;

/** Rows of a list over its pages, `max` at least where there are as many; `next` when there are more. */
export async function list<Row extends z.ZodType>(
  api: Api,
  wanted: {
    path: string;
    query?: Query;
    /** The list's name in the answer. */
    name: string;
    row: Row;
    max: number;
    cursor?: string | undefined;
    keep?: (row: z.output<Row>) => boolean;
  },
): Promise<{ answer: Record<string, unknown>; rows: z.output<Row>[]; next: string | undefined }> {
  const { keep = () => true, max, name, path, query, row } = wanted;
  const Page = z.looseObject({ [name]: z.array(z.unknown()), next: z.string().optional() });
  const kept: { raw: unknown; row: z.output<Row> }[] = [];
  let next = wanted.cursor;
  do {
    const size = Math.min(pageMax, max - kept.length);
    const page = read(Page, await api.get(path, { ...query, max: size, cursor: next }));
    next = page["next"] as string | undefined;
    const rows = (page[name] as unknown[]).map((raw) => ({ raw, row: read(row, raw) }));
    kept.push(...rows.filter((one) => keep(one.row)));
  } while (next !== undefined && kept.length < max);
  const answer = { [name]: kept.map(({ raw }) => raw), ...(next === undefined ? {} : { next }) };
  return { answer, rows: kept.map((one) => one.row), next };
}

export const listOptions: readonly Option[] = [
  new Option("--max <rows>", "how many rows at most").argParser(wholeNumber).default(25),
  new Option("--cursor <next>", "go on where another list ended: its `next`"),
];

export interface ListOptions {
  max: number;
  cursor?: string;
}

export function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 10_000) return number;
  throw new InvalidArgumentError("Give a whole number from 1 to 10000.");
}

export function moreHint(session: Session, next: string | undefined): void {
  if (next === undefined || session.isJson) return;
  session.terminal.err(`There are more: add --max, or --cursor ${next}`);
}

const caseIdPattern = /^[a-z2-7]{26}$/;
const CaseId = z.looseObject({ case: z.looseObject({ caseId: z.string() }) });

/** A case is named by its id or by its business reference. */
export async function caseIdOf(api: Api, tenant: string, named: string): Promise<string> {
  if (caseIdPattern.test(named)) return named;
  const answer = await api.get(pathOf("cases", tenant), { externalRef: named });
  return read(CaseId, answer).case.caseId;
}
