// Hears every single answer of Cosmos DB, the throttled ones included that the SDK itself tries again: what it cost, and its
// status. It hears no more than that, and changes nothing.
import type { PluginConfig } from "@azure/cosmos";
import { z } from "zod";

export interface Heard {
  status: number | undefined;
  /** In request units. */
  charge: number;
}

const chargeHeader = "x-ms-request-charge";

/** An answer, or what is thrown for one from 400 on. */
const AnswerSeen = z.object({
  code: z.union([z.number(), z.string()]).optional(),
  headers: z.object({ [chargeHeader]: z.unknown() }).optional(),
});

export function listener(hear: (heard: Heard) => void): PluginConfig {
  return {
    on: "request",
    async plugin(request, _diagnostics, next) {
      try {
        const answer = await next(request);
        hear(heardIn(answer));
        return answer;
      } catch (error) {
        hear(heardIn(error));
        throw error;
      }
    },
  };
}

function heardIn(seen: unknown): Heard {
  const { code, headers } = AnswerSeen.safeParse(seen).data ?? {};
  const charge = Number(headers?.[chargeHeader] ?? 0);
  return {
    status: typeof code === "number" ? code : undefined,
    charge: Number.isFinite(charge) ? charge : 0,
  };
}
