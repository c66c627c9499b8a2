// `/_local/...`: the server's own API beside the protocol, without a key. The typed client is
// `faults.ts`.
//
//   GET /_local/log?after=N&limit=M     GET /_local/counts      GET|POST|DELETE /_local/faults
//   GET|POST /_local/clock {skewMs}     POST /_local/split {container, rangeId}
import type { Service } from "../service.ts";
import { splitRange } from "../store/keys/ranges.ts";
import type { FaultRules } from "./fault-rules.ts";
import { checkRule } from "./fault-rules.ts";
import type { RequestLog } from "./request-log.ts";

export interface LocalParts {
  service: Service;
  log: RequestLog;
  faults: FaultRules;
}

export interface LocalAnswer {
  status: number;
  body: unknown;
}

const LIMIT_DEFAULT = 1000;

/** Undefined: no such route. `body` is the parsed JSON of the request. */
export function answerLocal(
  method: string,
  url: URL,
  body: unknown,
  { service, log, faults }: LocalParts,
): LocalAnswer {
  const given = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  switch (`${method} ${url.pathname}`) {
    case "GET /_local/log": {
      const after = Number(url.searchParams.get("after") ?? 0);
      const limit = Number(url.searchParams.get("limit") ?? LIMIT_DEFAULT);
      return { status: 200, body: log.read(after, limit) };
    }
    case "GET /_local/counts":
      return { status: 200, body: log.counts() };
    case "GET /_local/faults":
      return { status: 200, body: faults.state() };
    case "POST /_local/faults":
      for (const rule of [body].flat().map(checkRule)) faults.add(rule);
      return { status: 200, body: faults.state() };
    case "DELETE /_local/faults":
      faults.clear();
      return { status: 200, body: [] };
    case "POST /_local/clock":
      service.clock.skewMs = Number(given["skewMs"] ?? 0);
      return { status: 200, body: { skewMs: service.clock.skewMs, nowMs: service.clock.nowMs() } };
    case "GET /_local/clock":
      return { status: 200, body: { skewMs: service.clock.skewMs, nowMs: service.clock.nowMs() } };
    case "POST /_local/split":
      return split(service, String(given["container"]), String(given["rangeId"]));
    default:
      return { status: 404, body: { message: `no route ${method} ${url.pathname}` } };
  }
}

function split({ catalog }: Service, id: string, rangeId: string): LocalAnswer {
  const container = catalog.allContainers().find((candidate) => candidate.id === id);
  if (container === undefined) return { status: 404, body: { message: `no container ${id}` } };
  catalog.setRanges(container, splitRange(container.ranges, rangeId));
  return { status: 200, body: container.ranges };
}
