// A review from the call that nobody answered to its end, through the served API and the real SDKs: by one person's statement, and
// by two who force a retry.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { principalHeader } from "../../local/host/http/principal.ts";
import { openLocalWorld, type LocalWorld } from "./local-world.ts";

const action = "email.send_notification.v1";

let world: LocalWorld;
beforeAll(async () => {
  world = await openLocalWorld();
});
afterAll(() => world.close());

interface Said {
  status: number;
  body: Record<string, unknown> & { version?: string; requestId?: string };
}

async function ask(who: string, method: string, path: string, body?: object): Promise<Said> {
  const [id = "", role = ""] = who.split(":");
  const response = await fetch(`${world.host.url}/api/${path}`, {
    method,
    headers: {
      "x-ms-client-principal": principalHeader({ id, name: id, roles: [role] }),
      ...(method === "POST" ? { "content-type": "application/json" } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Said["body"] };
}

/** The email was called for and nobody answered; its provider offers neither key nor look-up. */
async function unanswered(invoice: string, fault: "down" | "commitThenDrop"): Promise<string> {
  await world.providers.order([{ action, fault, times: 1 }]);
  await world.post(world.raised(invoice));
  const view = await world.until(
    invoice,
    ({ effects, reviews }) =>
      reviews.length > 0 && effects.some(({ status }) => status === "unknown"),
  );
  const { caseId } = view.case;
  const { body } = await ask("olga:operator", "GET", "reviews/acme");
  const rows = body["reviews"] as { id: string; caseId: string; externalRef: string }[];
  const row = rows.find((one) => one.caseId === caseId);
  expect(row).toMatchObject({ kind: "UnknownEffect", externalRef: invoice });
  return `reviews/acme/${caseId}/${row?.id ?? "none"}`;
}

const emailOf = async (invoice: string) =>
  (await world.view(invoice))?.effects.find((effect) => effect.action === action);

describe("a notification that nobody answered", () => {
  test("and that the recipient has is stated by one person; nothing is sent again", async () => {
    const path = await unanswered("INV-R1", "commitThenDrop");
    const shown = await ask("olga:operator", "GET", path);
    const told = {
      decisionId: "d-1",
      expectedVersion: shown.body.version,
      how: "happened",
      providerId: "seen in the recipient's inbox",
      reason: "the recipient forwarded it",
    };
    const answers = await Promise.all([
      ask("olga:operator", "POST", `${path}/resolve`, told),
      ask("otto:operator", "POST", `${path}/resolve`, { ...told, decisionId: "d-2" }),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 409]));
    await world.until("INV-R1", ({ effects }) =>
      effects.every(({ status }) => status === "confirmed"),
    );
    expect(await emailOf("INV-R1")).toMatchObject({ status: "confirmed", settledBy: "person" });
    expect((await world.applied("INV-R1"))[action]).toBe(1);
    const { body } = await ask("rita:reader", "GET", "operator-records/acme?max=2");
    const records = body["records"] as { outcome: { kind: string } }[];
    expect(new Set(records.map(({ outcome }) => outcome.kind))).toEqual(
      new Set(["done", "refused"]),
    );
  });

  test("is sent again only when two people force it", async () => {
    const path = await unanswered("INV-R2", "down");
    const { body } = await ask("ivo:overrider", "GET", path);
    const told = {
      expectedVersion: body.version,
      how: "retry",
      reason: "the log of the mail server",
    };
    const unforced = await ask("ivo:overrider", "POST", `${path}/resolve`, {
      ...told,
      decisionId: "f-1",
    });
    expect(unforced).toMatchObject({ status: 409 });
    const asked = await ask("ivo:overrider", "POST", `${path}/resolve`, {
      ...told,
      decisionId: "f-2",
      forced: true,
    });
    expect(asked).toMatchObject({ status: 202, body: { state: "awaitsSecondPerson" } });
    const confirming = {
      requestId: asked.body.requestId,
      expectedVersion: body.version,
      reason: "I have seen the log, too",
    };
    const alone = await ask("ivo:overrider", "POST", `${path}/confirm`, {
      ...confirming,
      decisionId: "f-3",
    });
    expect(alone.status).toBe(403);
    const both = await ask("una:overrider", "POST", `${path}/confirm`, {
      ...confirming,
      decisionId: "f-4",
    });
    expect(both).toMatchObject({ status: 202, body: { state: "recorded" } });
    await world.until("INV-R2", ({ effects }) =>
      effects.every(({ status }) => status === "confirmed"),
    );
    expect((await world.applied("INV-R2"))[action]).toBe(1);
    expect((await emailOf("INV-R2"))?.attempts).toHaveLength(2);
  });
});
