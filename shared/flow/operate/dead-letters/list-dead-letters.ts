// Dead letters as a list, grouped by what they died of, and with what a resubmit would do; nothing here takes a lock.
import { z } from "zod";
import { mayReadContent, type Principal } from "../access/principal.ts";
import { cursorOf, cursorText, Max, Next } from "../page.ts";
import { getRoute, TenantOrAll } from "../route.ts";
import type { Reply } from "../serve.ts";
import type { DeadLetterStore } from "../../../stores/dead-letter-port.ts";
import type { QueueName } from "../../../stores/ports.ts";
import {
  causeOf,
  hintedCase,
  LetterFilter,
  Queue,
  SequenceNumber,
  showLetter,
  ShownLetter,
} from "./letter.ts";
import { marksOf } from "./marks.ts";
import { Preview, previewer, type PreviewPorts } from "./preview.ts";
import { scanLetters } from "./scan.ts";

export interface ListPorts extends PreviewPorts {
  deadLetters: DeadLetterStore;
  nowMs(): number;
}

export const OfQueue = z.strictObject({ tenant: TenantOrAll, queue: Queue });
const After = z.object({ after: SequenceNumber });
const filter = LetterFilter.pick({ cause: true, caseId: true });
const Query = filter.extend({ max: Max, cursor: cursorOf(After) });

const Listed = z.object({ deadLetters: z.array(ShownLetter), next: Next });
const Previewed = z.object({
  deadLetters: z.array(ShownLetter.extend({ preview: Preview })),
  next: Next,
});
export const Cause = z.object({
  cause: z.string(),
  reason: z.string(),
  description: z.string().describe("Of the first one; for operators, approvers and admins."),
  count: z.int(),
  firstSeenMs: z.int().optional(),
  lastSeenMs: z.int().optional(),
  resubmitCountMax: z.int(),
});
const Grouped = z.object({
  causes: z.array(Cause).describe("Most frequent first."),
  count: z.int(),
  next: Next.describe("There was more than one look could see: add up what the next one tells."),
});

export const listDeadLettersRoute = getRoute({
  name: "list-dead-letters",
  path: "dead-letters/{tenant}/{queue}",
  summary: "Dead letters, oldest first. Tenant `_`: all, with those that name no case.",
  role: "reader",
  params: OfQueue,
  query: Query,
  answer: { schema: Listed, says: "One page." },
  problems: [],
});

export const previewDeadLettersRoute = getRoute({
  name: "preview-dead-letters",
  path: "dead-letters/{tenant}/{queue}/preview",
  summary: "The same list, with what a resubmit would do now, by the ledger of each case.",
  role: "reader",
  params: OfQueue,
  query: Query,
  answer: { schema: Previewed, says: "One page." },
  problems: [],
});

export const groupDeadLettersRoute = getRoute({
  name: "group-dead-letters",
  path: "dead-letters/{tenant}/{queue}/causes",
  summary: "What the dead letters died of, and how many of each.",
  role: "reader",
  params: OfQueue,
  query: z.strictObject({ cursor: cursorOf(After) }),
  answer: { schema: Grouped, says: "All of them, as a rule." },
  problems: [],
});

interface Asked {
  queue: QueueName;
  tenant: string;
  principal: Principal;
}

export async function listDeadLetters(
  ports: ListPorts,
  asked: Asked,
  query: z.output<typeof Query>,
): Promise<Reply<z.infer<typeof Listed>>> {
  const { next, rows } = await page(ports, asked, query);
  const mayRead = mayReadContent(asked.principal, asked.tenant);
  const deadLetters = rows.map((letter) => showLetter(letter, mayRead));
  return { kind: "done", body: { deadLetters, ...next } };
}

export async function previewDeadLetters(
  ports: ListPorts,
  asked: Asked,
  query: z.output<typeof Query>,
): Promise<Reply<z.infer<typeof Previewed>>> {
  const { next, rows } = await page(ports, asked, query);
  const mayRead = mayReadContent(asked.principal, asked.tenant);
  const previewOf = previewer(ports);
  const deadLetters: z.infer<typeof Previewed>["deadLetters"] = [];
  for (const letter of rows) {
    const preview = await previewOf(hintedCase(letter));
    deadLetters.push({ ...showLetter(letter, mayRead), preview });
  }
  return { kind: "done", body: { deadLetters, ...next } };
}

async function page(
  ports: ListPorts,
  { queue, tenant }: Asked,
  { cursor, max, ...filter }: z.output<typeof Query>,
) {
  const rows: Parameters<typeof showLetter>[0][] = [];
  const scan = { queue, tenant, filter, after: cursor?.after };
  const { isWhole, lastSequence } = await scanLetters(ports, scan, (letter) => {
    rows.push(letter);
    return rows.length < max;
  });
  const after = isWhole ? undefined : lastSequence;
  return { rows, next: cursorText(after === undefined ? undefined : { after }) };
}

export async function groupDeadLetters(
  ports: ListPorts,
  { principal, queue, tenant }: Asked,
  query: { cursor?: { after: string } | undefined },
): Promise<Reply<z.infer<typeof Grouped>>> {
  const causes = new Map<string, z.infer<typeof Cause>>();
  let count = 0;
  const mayRead = mayReadContent(principal, tenant);
  const scan = { queue, tenant, filter: {}, after: query.cursor?.after };
  const { isWhole, lastSequence } = await scanLetters(ports, scan, (letter) => {
    count += 1;
    const cause = causeOf(letter);
    causes.set(cause, withOneMore(causes.get(cause), letter, mayRead));
    return true;
  });
  const after = isWhole ? undefined : lastSequence;
  const body = {
    causes: [...causes.values()].toSorted((a, b) => b.count - a.count),
    count,
    ...cursorText(after === undefined ? undefined : { after }),
  };
  return { kind: "done", body };
}

function withOneMore(
  known: z.infer<typeof Cause> | undefined,
  letter: Parameters<typeof showLetter>[0],
  mayRead: boolean,
): z.infer<typeof Cause> {
  const { cause, description, firstSeenMs, lastSeenMs, reason } = showLetter(letter, mayRead);
  const first = Math.min(known?.firstSeenMs ?? Infinity, firstSeenMs ?? Infinity);
  const last = Math.max(known?.lastSeenMs ?? 0, lastSeenMs ?? 0);
  return {
    cause,
    reason,
    description: known?.description ?? description,
    count: (known?.count ?? 0) + 1,
    ...(first === Infinity ? {} : { firstSeenMs: first }),
    ...(last === 0 ? {} : { lastSeenMs: last }),
    resubmitCountMax: Math.max(known?.resubmitCountMax ?? 0, marksOf(letter).resubmitCount),
  };
}
