// Who signed a delivery, and what a sender is told when nobody who may has.
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { bodyOf, intakeWorld, newSecret, secrets } from "./intake-world.ts";

describe("a secret that is being replaced (cases.md 9)", () => {
  const old = newSecret();
  const next = newSecret();
  const rotating = (notAfter: string) => ({
    erp: {
      tenantId: "t1",
      workflow: "exception",
      secrets: [
        { name: "old", secret: old, notAfter },
        { name: "next", secret: next },
      ],
    },
  });
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const justNow = new Date(Date.now() - 1000).toISOString();

  test.each([
    ["the old one, while both are good", tomorrow, [old], 202, { secretName: "old" }],
    ["the new one, while both are good", tomorrow, [next], 202, { secretName: "next" }],
    ["both", tomorrow, [old, next], 202, {}],
    ["both, after the old one has ended", justNow, [old, next], 202, { secretName: "next" }],
    ["somebody else's and the new one", tomorrow, [newSecret(), next], 202, { secretName: "next" }],
    ["the old one, after it has ended", justNow, [old], 401, { endedSecretName: "old" }],
    ["somebody else's", tomorrow, [newSecret()], 401, {}],
  ])("signed by %s", async (_what, notAfter, signedBy, status, log) => {
    const world = intakeWorld(rotating(notAfter));
    const answer = await world.deliver(bodyOf(), { signedBy });
    expect(answer.status).toBe(status);
    expect(answer.log).toMatchObject(log);
    expect(world.events()).toHaveLength(status === 202 ? 1 : 0);
  });

  test("answers a sender with the old one as it answers any stranger", async () => {
    const world = intakeWorld(rotating(justNow));
    const ended = await world.deliver(bodyOf(), { signedBy: [old] });
    const stranger = await world.deliver(bodyOf(), { signedBy: [newSecret()] });
    expect(ended.text).toBe(stranger.text);
    expect(ended.text).not.toContain("old");
  });
});

describe("a signature", () => {
  test.each([
    [
      "of another body",
      { headers: { "webhook-signature": new Webhook(secrets.t1).sign("dlv-1", new Date(), "{}") } },
    ],
    [
      "of another id",
      {
        headers: {
          "webhook-id": "dlv-2",
          "webhook-signature": new Webhook(secrets.t1).sign("dlv-1", new Date(), bodyOf()),
        },
      },
    ],
    ["of another source's secret", { signedBy: [secrets.t10] }],
    ["of another scheme", { headers: { "webhook-signature": "v1a,AAAA" } }],
    ["that is none", { headers: { "webhook-signature": "v1 v1, ,," } }],
  ])("%s is 401 and leaves nothing", async (_what, sent) => {
    const world = intakeWorld();
    const { status, said } = await world.deliver(bodyOf(), sent);
    expect(status).toBe(401);
    expect(said["type"]).toBe("urn:countersign:problem:invalid-signature");
    expect(world.cases.changesSince(0).documents).toEqual([]);
  });

  test("over bytes that are no UTF-8 cannot be checked: 400 says so, and leaves nothing", async () => {
    const world = intakeWorld();
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]);
    const signed = Buffer.concat([Buffer.from(`dlv-1.${Math.floor(Date.now() / 1000)}.`), bytes]);
    const secret = Buffer.from(secrets.t1.slice("whsec_".length), "base64");
    const signature = `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`;
    const headers = { "webhook-signature": signature };
    const { status, said } = await world.deliver(bytes, { headers });
    expect(status).toBe(400);
    expect(said["errors"]).toEqual([{ field: "body", detail: "is not UTF-8" }]);
    expect(world.cases.changesSince(0).documents).toEqual([]);
  });

  test.each([
    ["too old", 301],
    ["too new", -301],
  ])("that is %s is 401 and says so", async (what, ageSeconds) => {
    const world = intakeWorld();
    const { status, said } = await world.deliver(bodyOf(), { ageSeconds });
    expect(status).toBe(401);
    expect(said["detail"]).toContain(`webhook-timestamp is ${what}`);
  });

  test.each(["webhook-timestamp", "webhook-signature"])(
    "without %s is 400 and names it",
    async (name) => {
      const world = intakeWorld();
      const { status, said } = await world.deliver(bodyOf(), { headers: { [name]: null } });
      expect(status).toBe(400);
      expect(said["errors"]).toMatchObject([{ field: name }]);
    },
  );

  test.each(["soon", "1e9", "-1", "1700000000.5", "2026-03-01T09:00:00Z"])(
    "with the time %s is 400 and names the header",
    async (time) => {
      const world = intakeWorld();
      const { status, said } = await world.deliver(bodyOf(), {
        headers: { "webhook-timestamp": time },
      });
      expect(status).toBe(400);
      expect(said["errors"]).toMatchObject([{ field: "webhook-timestamp" }]);
    },
  );
});
