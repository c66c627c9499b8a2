// The two wires that a worker's calls go over, and what passes on them: the campaign's own journals.
//
//   to a stand-in    each call is noted when it arrives, carried on, and its answer kept until the conductor has looked
//   to Cosmos DB     each batch that was carried out is noted, in the store's order, with the ETag that it gave the case
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Case } from "../../../shared/domain/records/case.ts";
import type { LogEntry } from "../../../shared/domain/records/review.ts";
import type { CaseDocument } from "../../../shared/domain/records/snapshot.ts";
import type { Landed } from "../../audit/testimony.ts";

interface Passage {
  request: IncomingMessage;
  body: Buffer;
  /** Where it goes on to. */
  url: URL;
}

interface Answer {
  status: number;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

type Verdict = "pass" | "cut";

export interface Wire {
  url: string;
  close(): Promise<void>;
}

interface WireOptions {
  /** Undefined: it leads nowhere. */
  routeOf(request: IncomingMessage): URL | undefined;
  before?(passage: Passage): Promise<Verdict>;
  after(passage: Passage, answer: Answer): Promise<Verdict>;
}

async function openWire(options: WireOptions): Promise<Wire> {
  const server = createServer((request, response) => {
    carry(options, request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function carry(
  options: WireOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = options.routeOf(request);
  const body = await bytesOf(request);
  if (url === undefined) throw new Error("it leads nowhere");
  const passage = { request, body, url };
  if ((await options.before?.(passage)) === "cut") {
    response.destroy();
    return;
  }
  const answer = await carryOn(passage);
  if ((await options.after(passage, answer)) === "cut") {
    response.destroy();
    return;
  }
  if (response.destroyed) return;
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
}

function carryOn({ body, request, url }: Passage): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { headers, method } = request;
    const onward = ask(url, { method, headers, agent: false }, (answer) => {
      resolve(wholeOf(answer));
    });
    onward.on("error", reject);
    onward.end(body);
  });
}

async function wholeOf(answer: IncomingMessage): Promise<Answer> {
  const { headers, statusCode = 502 } = answer;
  return { status: statusCode, headers, body: await bytesOf(answer) };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

export interface CallWire extends Wire {
  /** What the next acting call of a case's worker meets; undefined: nothing. */
  setFault(fault: "answerLost" | "callLost" | undefined): void;
}

/** `/{pid}/{stand-in}/...` goes to that stand-in, without the two. */
export async function openCallWire(options: {
  standInUrls: readonly string[];
  arrived(pid: number): void;
  /** The stand-in has answered; the answer is still here. */
  answered(pid: number): Promise<"goOn" | "gone">;
}): Promise<CallWire> {
  let fault: "answerLost" | "callLost" | undefined;
  const pidOf = ({ url = "" }: IncomingMessage) => Number(url.split("/")[1]);
  const isAct = ({ method }: IncomingMessage) => method !== "GET" && method !== "HEAD";
  const wire = await openWire({
    routeOf({ url = "" }) {
      const [, , index, ...rest] = url.split("/");
      const standIn = options.standInUrls[Number(index)];
      return standIn === undefined ? undefined : new URL(`/${rest.join("/")}`, standIn);
    },
    async before({ request }) {
      if (!isAct(request)) return "pass";
      if (fault === "callLost") {
        fault = undefined;
        return "cut";
      }
      options.arrived(pidOf(request));
      return "pass";
    },
    async after({ request }) {
      if (!isAct(request)) return "pass";
      if (fault === "answerLost") {
        fault = undefined;
        return "cut";
      }
      return (await options.answered(pidOf(request))) === "gone" ? "cut" : "pass";
    },
  });
  return { ...wire, setFault: (next) => void (fault = next) };
}

export interface CosmosWire extends Wire {
  /** Batches that stand, by case id. */
  landedOf(caseId: string): readonly Landed[];
  /** The next batches of any case are carried out, and their answers lost. */
  loseAnswers(times: number): void;
}

interface Operation {
  operationType: string;
  ifMatch?: string;
  resourceBody: CaseDocument | LogEntry;
}

export async function openCosmosWire(endpoint: string): Promise<CosmosWire> {
  const landed = new Map<string, Landed[]>();
  let answersToLose = 0;
  const wire = await openWire({
    routeOf: ({ url = "" }) => new URL(url, endpoint),
    async after({ body, request }, answer) {
      if (request.headers["x-ms-cosmos-is-batch-request"] === undefined) return "pass";
      const entry = answer.status === 200 ? landedOf(body, answer.body) : undefined;
      if (entry !== undefined) {
        const { caseId } = entry.batch.key;
        landed.set(caseId, [...(landed.get(caseId) ?? []), entry]);
      }
      if (answersToLose === 0) return "pass";
      answersToLose -= 1;
      return "cut";
    },
  });
  return {
    ...wire,
    landedOf: (caseId) => landed.get(caseId) ?? [],
    loseAnswers: (times) => void (answersToLose = times),
  };
}

function landedOf(request: Buffer, response: Buffer): Landed {
  const operations = JSON.parse(request.toString()) as Operation[];
  const results = JSON.parse(response.toString()) as { eTag?: string }[];
  // A patch is about a document that ends by itself, beside the ledger.
  const documents = operations
    .filter(({ operationType }) => operationType !== "Patch")
    .map(({ operationType, resourceBody }) => ({
      isNew: operationType === "Create",
      document: resourceBody,
    }));
  const caseAt = documents.findIndex(({ document }) => document.type === "case");
  const log = documents.find(({ document }) => document.type === "log" && document.id !== "");
  const rest = documents.filter((entry, n) => n !== caseAt && entry !== log);
  const caseDocument = documents[caseAt]?.document as Case;
  const { caseId, tenantId } = caseDocument;
  return {
    atMs: Date.now(),
    caseEtag: results[caseAt]?.eTag ?? "",
    batch: {
      key: { tenantId, caseId },
      log: log?.document as LogEntry,
      caseEtag: operations[caseAt]?.ifMatch,
      caseDocument,
      creates: rest.filter(({ isNew }) => isNew).map(({ document }) => document as CaseDocument),
      replaces: rest.filter(({ isNew }) => !isNew).map(({ document }) => document),
      amends: [],
    },
  };
}
