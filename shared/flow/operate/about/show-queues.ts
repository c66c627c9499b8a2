// What the broker holds, as it counts it: of all tenants together, so it is for roles that are not bound to one.
import { z } from "zod";
import type { Surroundings } from "../../../stores/surroundings.ts";
import { getRoute } from "../route.ts";
import type { Reply } from "../serve.ts";
import { queueNames } from "./doctor.ts";

const Shown = z.object({
  queues: z
    .array(
      z.object({
        name: z.string(),
        active: z.int().describe("Messages that wait, and those that somebody works on."),
        scheduled: z.int().describe("Messages that are to come later: a case's own deadlines."),
        deadLettered: z.int(),
      }),
    )
    .optional()
    .describe("Absent: the app's identity may not read them."),
});
type Shown = z.infer<typeof Shown>;

export const showQueuesRoute = getRoute({
  name: "show-queues",
  path: "queues",
  summary: "How many messages the broker holds in each queue, by its own counts.",
  role: "reader",
  params: z.strictObject({}),
  answer: { schema: Shown, says: "The broker's counts, which may lag a little." },
  problems: [],
});

export async function showQueues({
  surroundings,
}: {
  surroundings: Pick<Surroundings, "queueCounts">;
}): Promise<Reply<Shown>> {
  const queues = await surroundings.queueCounts(queueNames);
  return { kind: "done", body: queues === undefined ? {} : { queues: [...queues] } };
}
