// People at the operators' API, over a world in memory: each call goes through the door that the functions use.
import type { z } from "zod";
import { principalHeader } from "../../../local/host/http/principal.ts";
import {
  confirmResolutionRoute,
  resolveReviewRoute,
} from "../../../shared/flow/operate/reviews/resolution.ts";
import {
  confirmResolution,
  resolveReview,
} from "../../../shared/flow/operate/reviews/resolve-review.ts";
import {
  listReviews,
  listReviewsRoute,
} from "../../../shared/flow/operate/reviews/list-reviews.ts";
import { showReview, showReviewRoute } from "../../../shared/flow/operate/reviews/show-review.ts";
import type { Route } from "../../../shared/flow/operate/route.ts";
import {
  serve,
  type ApiRequest,
  type Call,
  type Reply,
} from "../../../shared/flow/operate/serve.ts";
import type { Decision } from "../../../shared/domain/definitions.ts";
import { memoryOperators } from "../../memory/memory-operators.ts";
import { key, newWorld, type World } from "../world.ts";
import { carryTrace } from "../../../shared/flow/measure/carry-trace.ts";
import { silentTelemetry, type Telemetry } from "../../../shared/telemetry/telemetry.ts";

export type Operators = ReturnType<typeof operatorsOf>;

export interface Said {
  status: number;
  body: Record<string, unknown> & { detail?: string; version?: string; requestId?: string };
}

const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** One action under a contract that promises nothing: what is not answered is a person's. */
export const bareOnce: Decision = {
  kind: "plan",
  why: "test",
  actions: [{ action: "bare.first.v1", target: "T", payload: { secret: "s3cret" } }],
  nextStatus: "done",
  notifications: [],
};

/** A case whose one effect was sent and never answered, and is in review. */
export async function unknownCase(
  behaviour: "swallowed" | "appliedAndDropped" | "appliesLate" = "swallowed",
  options: Parameters<typeof newWorld>[0] = {},
): Promise<World> {
  const world = newWorld({ decide: () => bareOnce, ...options });
  world.bare.script = [behaviour];
  await world.post(1);
  await world.run(world.worker(), 1000);
  return world;
}

export function operatorsOf(world: World, telemetry: Telemetry = silentTelemetry) {
  const store = memoryOperators(world.cases);
  let decisions = 0;
  const ports = {
    cases: world.cases,
    control: world.control,
    operators: store,
    records: store,
    hints: carryTrace(world.hints, { telemetry, nowMs: world.nowMs }),
    book: world.book,
    log: silent,
    telemetry,
    easyAuthIsOn: true,
    random: () => `r${(decisions += 1)}`,
    nowMs: world.nowMs,
  };
  const running = async () => ports;

  function request(
    who: Who,
    method: string,
    params: Record<string, string>,
    body?: object,
    query: Record<string, string> = {},
  ): ApiRequest {
    const [id, ...roles] = who;
    const headers = new Headers({
      "x-ms-client-principal": principalHeader({ id, name: id.toUpperCase(), roles }),
      "content-type": "application/json",
    });
    return {
      method,
      url: "http://127.0.0.1/api",
      headers,
      params,
      query: new URLSearchParams(query),
      text: async () => JSON.stringify(body ?? {}),
    };
  }

  const of = (reviewId: string) => ({ tenant: key.tenantId, case: key.caseId, review: reviewId });

  return {
    store,
    ports,
    /** Any route, through the door. */
    async call<
      Params extends z.ZodObject,
      Query extends z.ZodObject,
      Body extends z.ZodObject,
      Answer extends z.ZodType,
    >(
      route: Route<Params, Query, Body, Answer>,
      act: (
        call: Call<z.output<Params>, z.output<Query>, z.output<Body>>,
      ) => Promise<Reply<z.input<Answer>>>,
      asked: {
        who?: Who;
        params?: Record<string, string>;
        query?: Record<string, string>;
        body?: object;
      } = {},
    ): Promise<Said> {
      const { body, params = {}, query, who = ana } = asked;
      const sent = request(who, route.method, params, body, query);
      return said(await serve(route, { request: sent, log: silent, running }, act));
    },
    async reviews(who: Who = ana): Promise<{ id: string; kind: string }[]> {
      const asked = {
        request: request(who, "GET", { tenant: key.tenantId }),
        log: silent,
        running,
      };
      const { body } = said(
        await serve(listReviewsRoute, asked, ({ params, query }) =>
          listReviews(ports, params.tenant, query),
        ),
      );
      return body["reviews"] as { id: string; kind: string }[];
    },
    async show(reviewId: string, who: Who = ana): Promise<Said> {
      const asked = { request: request(who, "GET", of(reviewId)), log: silent, running };
      return said(
        await serve(showReviewRoute, asked, ({ params, principal }) =>
          showReview(ports, { key, reviewId: params.review, principal }),
        ),
      );
    },
    /** On the review as it is now, unless the body says otherwise. */
    async resolve(reviewId: string, body: object, who: Who = ana): Promise<Said> {
      const expectedVersion = (await this.show(reviewId, who)).body.version ?? "none";
      decisions += 1;
      const whole = { decisionId: `d${decisions}`, expectedVersion, reason: "I looked", ...body };
      const asked = { request: request(who, "POST", of(reviewId), whole), log: silent, running };
      return said(
        await serve(resolveReviewRoute, asked, ({ body, params, principal, recordId }) =>
          resolveReview(ports, { key, reviewId: params.review, body, principal, recordId }),
        ),
      );
    },
    async confirm(reviewId: string, body: object, who: Who): Promise<Said> {
      const expectedVersion = (await this.show(reviewId, who)).body.version ?? "none";
      decisions += 1;
      const whole = { decisionId: `d${decisions}`, expectedVersion, reason: "I agree", ...body };
      const asked = { request: request(who, "POST", of(reviewId), whole), log: silent, running };
      return said(
        await serve(confirmResolutionRoute, asked, ({ body, params, principal, recordId }) =>
          confirmResolution(ports, { key, reviewId: params.review, body, principal, recordId }),
        ),
      );
    },
  };
}

export type Who = readonly [id: string, ...roles: string[]];
export const ana: Who = ["ana", "operator@acme"];
export const ben: Who = ["ben", "operator@acme"];
export const ivo: Who = ["ivo", "overrider@acme"];
export const una: Who = ["una", "overrider@acme"];
/** Not bound to one tenant. */
export const ada: Who = ["ada", "admin"];
export const rita: Who = ["rita", "reader@acme"];

function said({ body, status }: { status: number; body: string }): Said {
  return { status, body: JSON.parse(body) as Said["body"] };
}
