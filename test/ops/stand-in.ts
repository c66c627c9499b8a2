// The operators' API as its OpenAPI document tells it, over real HTTP: what the document does not know is refused, path, query and
// body; what it knows is answered by the test.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { z } from "zod";
import { openApiDocument } from "../../shared/flow/operate/about/open-api.ts";

export interface Asked {
  name: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
  headers: Record<string, string>;
}

export interface Answer {
  status?: number;
  body: unknown;
  headers?: Record<string, string>;
}

export type Answers = Readonly<Record<string, Answer | ((asked: Asked) => Answer)>>;

export interface StandIn {
  url: string;
  asked: Asked[];
  /** By the operation's id; for the next test, too. */
  answer(answers: Answers): void;
  close(): Promise<void>;
}

const Operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.object({ name: z.string(), in: z.string() })),
  requestBody: z
    .looseObject({
      content: z.object({
        "application/json": z.object({
          schema: z.looseObject({
            properties: z.record(z.string(), z.unknown()).default({}),
            required: z.array(z.string()).default([]),
          }),
        }),
      }),
    })
    .optional(),
});
const { paths } = z
  .object({ paths: z.record(z.string(), z.record(z.string(), Operation)) })
  .parse(openApiDocument());

export async function openStandIn(): Promise<StandIn> {
  const asked: Asked[] = [];
  let answers: Answers = {};
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = answerTo(await readRequest(request), answers, asked);
    const headers = { "content-type": "application/json", ...answer.headers };
    response.writeHead(answer.status ?? 200, headers).end(JSON.stringify(answer.body));
  }
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    answer(more) {
      answers = { ...answers, ...more };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Heard {
  method: string;
  url: URL;
  body: unknown;
  headers: Record<string, string>;
}

async function readRequest(request: IncomingMessage): Promise<Heard> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  return { method: request.method ?? "", url, body, headers };
}

function answerTo({ body, headers, method, url }: Heard, answers: Answers, asked: Asked[]): Answer {
  const operation = operationOf(method, url.pathname);
  if (operation === undefined) return refused(404, `${method} ${url.pathname} is not in the API`);
  const query = Object.fromEntries(url.searchParams);
  const wrong = [...wrongQuery(operation, query), ...wrongBody(operation, body)];
  if (wrong.length > 0) return refused(400, `${operation.operationId}: ${wrong.join(", ")}`);
  const one = { name: operation.operationId, path: url.pathname, query, body, headers };
  asked.push(one);
  const answer = answers[operation.operationId];
  if (answer === undefined) return refused(500, `no answer is laid down for ${one.name}`);
  return typeof answer === "function" ? answer(one) : answer;
}

function operationOf(method: string, path: string): z.output<typeof Operation> | undefined {
  const found = Object.entries(paths)
    .filter(([template]) => isLike(template, path))
    // A part that is spelled out goes before one that is a parameter.
    .toSorted(([a], [b]) => a.split("{").length - b.split("{").length)
    .flatMap(([, operations]) => operations[method.toLowerCase()] ?? []);
  return found[0];
}

function isLike(template: string, path: string): boolean {
  const parts = path.split("/");
  const wanted = template.split("/");
  return (
    parts.length === wanted.length &&
    wanted.every((part, index) => part.startsWith("{") || part === parts[index])
  );
}

function wrongQuery({ parameters }: z.output<typeof Operation>, query: Record<string, string>) {
  const known = parameters.filter((one) => one.in === "query").map(({ name }) => name);
  return Object.keys(query)
    .filter((name) => !known.includes(name))
    .map((name) => `query ${name} is not known`);
}

function wrongBody({ requestBody }: z.output<typeof Operation>, body: unknown): string[] {
  if (requestBody === undefined) return body === undefined ? [] : ["a body is not known"];
  const { properties, required } = requestBody.content["application/json"].schema;
  const given = Object.keys(body ?? {});
  return [
    ...given.filter((name) => !(name in properties)).map((name) => `${name} is not known`),
    ...required.filter((name) => !given.includes(name)).map((name) => `${name} is missing`),
  ];
}

function refused(status: number, detail: string): Answer {
  return problem(status, "stand-in", detail);
}

export function problem(
  status: number,
  slug: string,
  detail: string,
  headers?: Record<string, string>,
): Answer {
  const body = { type: `urn:countersign:problem:${slug}`, title: slug, status, detail };
  return { status, body, ...(headers === undefined ? {} : { headers }) };
}
