// "Answered means on disk", at the two places that keep it: the window between answer and commit is
// too short for a killed process to hit by chance.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import type { Connection } from "rhea";
import { describe, expect, test } from "vitest";

import { underFaults } from "../../../local/service-bus/amqp/under-faults.ts";
import { openBroker } from "../../../local/service-bus/broker/broker.ts";
import { groupCommit } from "../../../local/service-bus/broker/store/group-commit.ts";
import type { Queue } from "../../../local/service-bus/broker/queue.ts";
import { readEntities } from "../../../local/service-bus/entities.ts";
import { afterTest, temporaryFolder } from "./with-service-bus.ts";

describe("a group of writes", () => {
  test("is visible to another connection, whole and in order, when the callbacks run", async () => {
    const file = join(await temporaryFolder(), "test.sqlite");
    const database = new DatabaseSync(file);
    database.exec("PRAGMA journal_mode = WAL; CREATE TABLE notes (n INTEGER)");
    const reader = new DatabaseSync(file);
    afterTest(async () => {
      reader.close();
      database.close();
    });
    const notes = () =>
      reader
        .prepare("SELECT n FROM notes ORDER BY rowid")
        .all()
        .map(({ n }) => n);
    const commits = groupCommit(database);
    const insert = (n: number) => () => database.prepare("INSERT INTO notes VALUES (?)").run(n);
    const seen = await new Promise((resolve) => {
      commits.write(insert(1));
      commits.writeLatest("counter", insert(10));
      commits.write(insert(2));
      commits.writeLatest("counter", insert(11));
      commits.afterCommit(() => resolve(notes()));
      expect(notes()).toEqual([]);
    });
    expect(seen).toEqual([1, 2, 11]);
  });
});

describe("a client's operation", () => {
  test("is done at once and answered only after the commit", async () => {
    const broker = openBroker(await temporaryFolder(), readEntities({ queues: [{ name: "q" }] }));
    afterTest(async () => broker.close());
    const commits: (() => void)[] = [];
    const store = {
      ...broker.store,
      afterCommit: (callback: () => void) => void commits.push(callback),
    };
    const steps: string[] = [];
    underFaults<string>(
      { ...broker, store },
      {
        subject: { operation: "send", queue: "q", sessionId: undefined },
        queue: broker.queues().at(0) as Queue,
        connection: {} as Connection,
        apply: () => {
          steps.push("applied");
          return "done";
        },
        answer: (result) => steps.push(result === "done" ? "answered" : "refused"),
      },
    );
    expect(steps).toEqual(["applied"]);
    for (const commit of commits) commit();
    expect(steps).toEqual(["applied", "answered"]);
  });
});
