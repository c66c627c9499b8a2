// A route of the operators' API: its schemas parse the requests and are its documentation, and its role is all the
// authorization there is.
//
// A route that changes something says what it leaves in the record: `record` gets the parsed body.
import { z } from "zod";
import { tenantIdPattern } from "../../domain/identity.ts";
import { deploymentRecords } from "../../domain/records/operator-record.ts";
import type { Role } from "./access/principal.ts";

export const Tenant = z
  .string()
  .regex(tenantIdPattern, "use 1 to 64 of a-z, 0-9 and -")
  .describe("The tenant that the record belongs to.");
/** `_`: all of them, and what belongs to none; for roles that are not bound to one tenant. */
export const TenantOrAll = Tenant.or(z.literal(deploymentRecords));
export const CaseId = z
  .string()
  .regex(/^[a-z2-7]{26}$/, "use the 26 characters of a case id")
  .describe("26 characters, as the search shows them.");

/** Made by the client: the same request sent twice is one. */
export const DecisionId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,100}$/, "use 1 to 100 of A-Z a-z 0-9 . _ : -")
  .describe("Made by the client, new for each decision: the same request sent twice is one.");

export const Reason = z
  .string()
  .trim()
  .min(3)
  .max(2000)
  .describe("Why, for whoever reads it next.");

export interface Recorded {
  subject: string;
  decisionId?: string | undefined;
  reason?: string | undefined;
  details?: Readonly<Record<string, string | number | boolean>>;
}

export interface Route<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
  Answer extends z.ZodType = z.ZodType,
> {
  /** The function's name, and the operation's in the OpenAPI document. */
  name: string;
  method: "GET" | "POST";
  /** Below /api, in the template language of Functions. */
  path: string;
  summary: string;
  /** Undefined: anybody who is signed in. */
  role: Role | undefined;
  params: Params;
  query: Query;
  /** Of a POST. */
  body: Body;
  answer: { status: number; schema: Answer; says: string };
  /** Statuses of problems besides those that every route may answer. */
  problems: readonly (404 | 409)[];
  /** Of a POST: what is kept of it; nothing of one that only looks. */
  record?(request: { params: z.output<Params>; body: z.output<Body> }): Recorded | undefined;
}

const nothing = z.strictObject({});

export function getRoute<
  Params extends z.ZodObject,
  Answer extends z.ZodType,
  Query extends z.ZodObject = typeof nothing,
>(
  route: Omit<
    Route<Params, Query, typeof nothing, Answer>,
    "method" | "body" | "query" | "answer"
  > & {
    query?: Query;
    answer: { schema: Answer; says: string };
  },
): Route<Params, Query, typeof nothing, Answer> {
  return {
    ...route,
    method: "GET",
    body: nothing,
    query: route.query ?? (nothing as unknown as Query),
    answer: { status: 200, ...route.answer },
  };
}

export function postRoute<
  Params extends z.ZodObject,
  Body extends z.ZodObject,
  Answer extends z.ZodType,
>(
  route: Omit<Route<Params, typeof nothing, Body, Answer>, "method" | "query"> & {
    record: NonNullable<Route<Params, typeof nothing, Body, Answer>["record"]>;
  },
): Route<Params, typeof nothing, Body, Answer> {
  return { ...route, method: "POST", query: nothing };
}

/** How a function of this route is registered. Anonymous at the host: the signed-in principal is the key. */
export function registration(route: Pick<Route, "method" | "path">) {
  return { methods: [route.method], route: route.path, authLevel: "anonymous" as const };
}
