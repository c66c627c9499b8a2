// The OpenAPI 3.1 document, made from the schemas that parse the requests: it cannot tell anything else than the code does.
import { z } from "zod";
import type { Route } from "../route.ts";
import { operatorRoutes } from "./all-routes.ts";

type Json = Record<string, unknown>;

const problemRef = { $ref: "#/components/responses/problem" };

export function openApiDocument(): Json {
  const paths: Record<string, Json> = {
    "/api/webhooks/{source}": { post: webhookOperation },
    "/api/health/live": { get: healthOperation("health-live", "Whether a worker answers.") },
    "/api/health/ready": {
      get: healthOperation("health-ready", "Whether a worker has settings, store and broker."),
    },
  };
  for (const route of operatorRoutes) {
    // An optional last part of a route is two paths here.
    for (const path of pathsOf(route.path)) {
      const operations = (paths[`/api/${path}`] ??= {});
      operations[route.method.toLowerCase()] = operationOf(route, path);
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Countersign",
      version: "1",
      description:
        "Times are milliseconds since 1970, by the store's clock. Requests that change something are JSON, and refused from another site's pages.",
    },
    paths,
    components: {
      securitySchemes: {
        easyAuth: {
          type: "http",
          scheme: "bearer",
          description: "App Service authentication: a bearer token, or its session cookie.",
        },
      },
      responses: { problem: problemResponse },
    },
    security: [{ easyAuth: [] }],
  };
}

function pathsOf(path: string): string[] {
  const optional = /\/\{[a-z]+\?\}$/;
  if (!optional.test(path)) return [path];
  return [path.replace(optional, ""), path.replace("?}", "}")];
}

function operationOf(route: Omit<Route, "record">, path: string): Json {
  const { answer, body, method, name, params, problems, query, role, summary } = route;
  const isWhole = pathsOf(route.path).at(-1) === path;
  const statuses = [400, 401, 403, ...problems, ...(method === "POST" ? [415] : []), 503];
  const inPath = [...path.matchAll(/\{([a-z]+)\}/g)].map(([, part = ""]) => part);
  return {
    operationId: isWhole ? name : `${name}-by-query`,
    summary,
    description: role === undefined ? "For anybody signed in." : `Needs the role ${role}.`,
    parameters: [
      ...parametersOf(params, "path").filter((one) => inPath.includes(String(one["name"]))),
      ...parametersOf(query, "query"),
    ],
    ...(method === "POST"
      ? {
          requestBody: {
            required: true,
            content: { "application/json": { schema: schemaOf(body, "input") } },
          },
        }
      : {}),
    responses: {
      [answer.status]: {
        description: answer.says,
        content: { "application/json": { schema: schemaOf(answer.schema, "output") } },
      },
      ...(method === "GET" ? { 304: unchanged } : {}),
      ...Object.fromEntries(statuses.map((status) => [status, problemRef])),
    },
  };
}

const unchanged = { description: "As under the ETag that `if-none-match` named." };

function parametersOf(schema: z.ZodObject, place: "path" | "query"): Json[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description, ...own } = schemaOf(field as z.ZodType, "input");
    const isRequired = place === "path" || !(field as z.ZodType).safeParse(undefined).success;
    return {
      name,
      in: place,
      required: isRequired,
      ...(description === undefined ? {} : { description }),
      schema: own,
    };
  });
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  // Shared parts are written out where they stand: a reference would point into another document.
  const { $schema: _dialect, ...own } = z.toJSONSchema(schema, { io, reused: "inline" });
  return own;
}

const problemResponse = {
  description: "What is wrong, where, and what to do (RFC 9457).",
  content: {
    "application/problem+json": {
      schema: {
        type: "object",
        required: ["type", "title", "status", "detail"],
        properties: {
          type: { type: "string", description: "urn:countersign:problem:<slug>" },
          title: { type: "string" },
          status: { type: "integer" },
          detail: { type: "string" },
          errors: {
            type: "array",
            items: {
              type: "object",
              required: ["field", "detail"],
              properties: { field: { type: "string" }, detail: { type: "string" } },
            },
          },
        },
      },
    },
  },
};

/** Not an operator's route: the signature over the raw bytes is the key. */
const webhookOperation = {
  operationId: "receive-webhook",
  summary: "Takes a signed event (Standard Webhooks) and answers once it is durable.",
  security: [],
  parameters: [
    { name: "source", in: "path", required: true, schema: { type: "string" } },
    ...["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => ({
      name,
      in: "header",
      required: true,
      schema: { type: "string" },
    })),
  ],
  requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } },
  responses: {
    202: { description: "The event is durable." },
    ...Object.fromEntries([400, 401, 404, 409, 413, 503].map((status) => [status, problemRef])),
  },
};

/** For whoever asks: no name and no reason is told. */
function healthOperation(operationId: string, summary: string): Json {
  const answered = (description: string): Json => ({
    description,
    content: { "application/json": { schema: { type: "object" } } },
  });
  return {
    operationId,
    summary,
    security: [],
    parameters: [],
    responses: {
      200: answered("It can."),
      503: answered("It cannot now; `checks` says what fails."),
    },
  };
}
