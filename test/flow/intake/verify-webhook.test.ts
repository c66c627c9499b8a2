// Who signed a delivery, and what a sender is told when nobody who may has.
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { verifyWebhook } from "../../../shared/flow/intake/verify-webhook.ts";
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

  test("is of the bytes that came: of another writing of the same content it is none, either way", async () => {
    const world = intakeWorld();
    const spaced = JSON.stringify(JSON.parse(bodyOf()), null, 2);
    const signatureOf = (body: string) => ({
      "webhook-signature": new Webhook(secrets.t1).sign("dlv-1", new Date(), body),
    });
    const forged = await world.deliver(spaced, { headers: signatureOf(bodyOf()) });
    expect(forged.status).toBe(401);
    expect((await world.deliver(spaced, { headers: signatureOf(spaced) })).status).toBe(202);
  });

  const noText = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]);
  const badText = { status: 400, said: { errors: [{ field: "body", detail: "is not UTF-8" }] } };

  test("over bytes that are no UTF-8 fits those very bytes: the delivery is refused, and on record", async () => {
    const world = intakeWorld();
    const signed = Buffer.concat([Buffer.from(`dlv-1.${Math.floor(Date.now() / 1000)}.`), noText]);
    const secret = Buffer.from(secrets.t1.slice("whsec_".length), "base64");
    const signature = `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`;
    const headers = { "webhook-signature": signature };
    expect(await world.deliver(noText, { headers })).toMatchObject(badText);
    expect(world.refusals()).toHaveLength(1);
  });

  test("over the text that the library reads out of such bytes fits them too, and nobody else's does", async () => {
    const world = intakeWorld();
    expect(await world.deliver(noText)).toMatchObject(badText);
    expect(world.refusals()).toHaveLength(1);
    expect(await world.deliver(noText, { id: "dlv-2", signedBy: [newSecret()] })).toMatchObject(
      badText,
    );
    expect(world.refusals()).toHaveLength(1);
  });

  test("counts in each of several headers, as servers join them", async () => {
    const world = intakeWorld();
    const at = new Date();
    const [others, own] = [newSecret(), secrets.t1].map((secret) =>
      new Webhook(secret).sign("dlv-1", at, bodyOf()),
    );
    const headers = { "webhook-signature": `${others}, ${own}` };
    expect((await world.deliver(bodyOf(), { headers })).status).toBe(202);
    const first = { "webhook-signature": `${own}, ${others}` };
    expect((await world.deliver(bodyOf(), { headers: first })).status).toBe(202);
  });

  test.each([
    ["that is 300 s old", 300, "signed"],
    ["that is 301 s old", 301, "unsigned"],
    ["of 300 s ahead", -300, "signed"],
    ["of 301 s ahead", -301, "unsigned"],
  ])("%s is judged by one clock", (_what, ageSeconds, kind) => {
    const sentAt = new Date("2026-03-01T09:00:00Z");
    const signature = new Webhook(secrets.t1).sign("dlv-1", sentAt, "{}");
    const headers: Record<string, string> = {
      "webhook-id": "dlv-1",
      "webhook-timestamp": String(sentAt.getTime() / 1000),
      "webhook-signature": signature,
    };
    const source = { tenantId: "t1", secrets: [{ name: "one", secret: secrets.t1 }] };
    const delivery = { header: (name: string) => headers[name] ?? null, body: Buffer.from("{}") };
    expect(verifyWebhook(source, delivery, sentAt.getTime() + ageSeconds * 1000).kind).toBe(kind);
  });

  test("of nothing, as chunked bodies may arrive, is told that the body is missing", async () => {
    const world = intakeWorld();
    const headers = { "webhook-signature": new Webhook(secrets.t1).sign("dlv-1", new Date(), "x") };
    const { status, said } = await world.deliver("", { headers });
    expect(status).toBe(400);
    expect(said["errors"]).toEqual([
      { field: "body", detail: "is empty; send it with a content-length, not in chunks" },
    ]);
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
