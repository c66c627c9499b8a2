// What tests and the demo may ask the providers that no real provider would tell:
//
//   GET    /_local/journal?after=N&waitMs=M   entries above N, waiting for the first one
//   POST   /_local/faults                     order faults (fault-table.ts)
//   GET    /_local/faults                     each with how often it fired and will yet fire
//   DELETE /_local/faults                     forget them
//   POST   /_local/release                    answer the calls that a `hang` keeps waiting
import { z } from "zod";
import { FaultOrder } from "./fault-table.ts";
import type { World } from "./serve-call.ts";

export interface LocalRequest {
  method: string;
  path: string;
  query: { after: string | null; waitMs: string | null };
  body: unknown;
}

const waitMsMax = 60_000;

export async function serveLocal(
  world: World,
  request: LocalRequest,
): Promise<{ status: number; body: unknown }> {
  switch (`${request.method} ${request.path}`) {
    case "GET /journal": {
      const after = Number(request.query.after ?? 0);
      const waitMs = Math.min(Number(request.query.waitMs ?? 0), waitMsMax);
      return { status: 200, body: { entries: await world.journal.after(after, waitMs) } };
    }
    case "POST /faults": {
      const orders = z.array(FaultOrder).safeParse(request.body);
      if (!orders.success) {
        return { status: 400, body: { code: "invalid_faults", detail: orders.error.message } };
      }
      return { status: 201, body: { faults: world.faults.add(orders.data) } };
    }
    case "GET /faults":
      return { status: 200, body: { faults: world.faults.list() } };
    case "DELETE /faults":
      world.faults.clear();
      return { status: 200, body: { faults: [] } };
    case "POST /release":
      return { status: 200, body: { released: world.held.release() } };
    default:
      return { status: 404, body: { code: "not_found" } };
  }
}
