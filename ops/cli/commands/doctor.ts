// ops doctor: what the app says of its surroundings, and what only the outside can see: the clock here, and who is signed in.
import type { Command } from "commander";
import { z } from "zod";
import { exitCodes, Failure } from "../exit-codes.ts";
import { teach } from "../lesson.ts";
import { read, type Opens, type Session } from "../session.ts";
import { age, table } from "../show.ts";

const Check = z.looseObject({
  name: z.string(),
  state: z.enum(["ok", "wrong", "notReadable"]),
  says: z.string(),
});
type Check = z.output<typeof Check>;

const Doctor = z.looseObject({ checks: z.array(Check), storeMs: z.int().optional() });
const Me = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  tenants: z.array(z.looseObject({ tenantId: z.string(), roles: z.array(z.string()) })),
});

/** A webhook's signature is believed for five minutes; a person reads times by the minute. */
const skewMaxMs = 30_000;

export function addDoctor(program: Command, open: Opens): void {
  teach(
    program
      .command("doctor")
      .description("connections, roles, queue settings, clock, schema versions, sign-in")
      .action(async (_options: object, command: Command) => {
        const session = open(command);
        const ready = await readiness(session);
        if (ready.state === "wrong") {
          show(session, { checks: [ready] }, [ready]);
          const what = `the app cannot work now: ${ready.says}. Its log says why.`;
          throw new Failure(exitCodes.unavailable, what);
        }
        const me = read(Me, await session.api.get("me"));
        const fromMs = Date.now();
        const answer = read(Doctor, await session.api.get("doctor"));
        const checks = [
          ready,
          signedIn(session, me),
          clock(answer.storeMs, { fromMs, toMs: Date.now() }),
          ...answer.checks,
        ];
        show(session, { ...answer, checks }, checks);
        const wrong = checks.filter(({ state }) => state === "wrong");
        if (wrong.length === 0) return;
        const names = wrong.map(({ name }) => name).join(", ");
        throw new Failure(exitCodes.refused, `not as it should be: ${names}.`);
      }),
    { example: "doctor --url https://countersign-prod.azurewebsites.net" },
  );
}

const Ready = z.looseObject({
  status: z.string(),
  checks: z.record(z.string(), z.string()),
});

/** Without a sign-in: it also tells when the app has not started. */
async function readiness({ api }: Session): Promise<Check> {
  const { checks, status } = read(Ready, await api.probe("health/ready"));
  const failed = Object.entries(checks).filter(([, state]) => state !== "ok");
  const says = failed.map(([name]) => `${name} failed`).join(", ");
  return status === "ready"
    ? { name: "health", state: "ok", says: `${Object.keys(checks).join(", ")}: ok` }
    : { name: "health", state: "wrong", says };
}

function show(session: Session, answer: object, checks: readonly Check[]): void {
  session.show(answer, () =>
    table(
      ["check", "", "what"],
      checks.map(({ name, says, state }) => [name, wordOf[state], says]),
    ),
  );
}

const wordOf = { ok: "ok", wrong: "WRONG", notReadable: "not readable" } as const;

function signedIn({ api }: Session, { id, name, tenants }: z.output<typeof Me>): Check {
  const roles = tenants.map((one) => `${one.tenantId}: ${one.roles.join(", ")}`).join("; ");
  const says = `${name ?? id} at ${api.url}; ${roles || "no role in any tenant"}`;
  return { name: "signed in", state: roles === "" ? "wrong" : "ok", says };
}

/** The store's clock was read between the two; what lies outside of them is skew. */
function clock(
  storeMs: number | undefined,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Check {
  const name = "clock here";
  if (storeMs === undefined) return { name, state: "notReadable", says: "the store told no time" };
  const skewMs = Math.max(0, fromMs - storeMs, storeMs - toMs);
  const side = storeMs > toMs ? "behind" : "ahead of";
  const says =
    skewMs < 1000
      ? "within a second of the store's"
      : `${age(skewMs)} ${side} the store's; times in answers are the store's`;
  return { name, state: skewMs > skewMaxMs ? "wrong" : "ok", says };
}
