// The campaign with real workers knows every action that the app can carry out: a new one without an example is told here.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../shared/config.ts";
import { registered } from "../../shared/registered.ts";
import { shippedSubjects } from "./real/shipped.ts";

const example = join(import.meta.dirname, "..", "..", "local.settings.json.example");

test("each action of the app is tried with real workers, and no other", async () => {
  const { Values } = JSON.parse(readFileSync(example, "utf8")) as { Values: object };
  const secrets = {
    CASE_ID_KEY: Buffer.alloc(32).toString("base64"),
    PAYLOAD_KEYS: undefined,
    WEBHOOK_SOURCES: "{}",
  };
  const { actions } = await registered(readConfig({ ...Values, ...secrets }));
  const namesOf = (named: readonly { name: string }[]) => named.map(({ name }) => name).toSorted();
  const tried = namesOf(shippedSubjects.map(({ action }) => action));
  expect(tried, "give it an example in test/crash/real/shipped.ts").toEqual(namesOf(actions));
});
