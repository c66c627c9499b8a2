// What survives `kill -9`: messages, sequence counters, session state, the memory of recent message
// ids, and the entities that clients made, in one SQLite file. Locks do not survive; they are promises to connections that are
// gone by then.
//
// All writes go through a group commit with synchronous=FULL (group-commit.ts): what `afterCommit`
// calls back for is on disk.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { groupCommit, type GroupCommit } from "./group-commit.ts";
import type { Message, MessageState } from "../message.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS messages (
    queue TEXT NOT NULL, sequence_number INTEGER NOT NULL,
    enqueued_sequence_number INTEGER NOT NULL, state TEXT NOT NULL,
    message_id TEXT NOT NULL, session_id TEXT,
    enqueued_at_ms INTEGER NOT NULL, scheduled_for_ms INTEGER,
    time_to_live_ms INTEGER, expires_at_ms INTEGER,
    delivery_count INTEGER NOT NULL,
    annotations BLOB, properties BLOB NOT NULL, application_properties BLOB, body BLOB NOT NULL,
    PRIMARY KEY (queue, sequence_number)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS counters (queue TEXT PRIMARY KEY, last INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS session_states (
    queue TEXT NOT NULL, session_id TEXT NOT NULL, state BLOB NOT NULL,
    PRIMARY KEY (queue, session_id)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS recent_ids (
    queue TEXT NOT NULL, message_id TEXT NOT NULL, sequence_number INTEGER NOT NULL,
    seen_at_ms INTEGER NOT NULL, PRIMARY KEY (queue, message_id)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS entities (
    address TEXT PRIMARY KEY, wanted TEXT,
    created_at_ms INTEGER NOT NULL, updated_at_ms INTEGER NOT NULL);`;

export type RecentId = { messageId: string; sequenceNumber: number; seenAtMs: number };

export type QueueContents = {
  messages: Message[];
  lastSequenceNumber: number;
  sessionStates: Map<string, Buffer>;
  /** Oldest first. */
  recentIds: RecentId[];
};

/** An entity as a client made it (JSON), or only its times where the entities file says what it is. */
export type EntityRow = {
  address: string;
  wanted: string | null;
  createdAtMs: number;
  updatedAtMs: number;
};

export type Store = {
  entities(): EntityRow[];
  putEntity(row: EntityRow): void;
  removeEntity(address: string): void;
  /** All that is kept of a queue; what is still to be written of it, too. */
  removeQueue(queue: string): void;
  load(queue: string): QueueContents;
  putMessage(queue: string, message: Message): void;
  /** Delivery count and state only; the content of a stored message never changes in place. */
  updateMessage(queue: string, message: Message): void;
  removeMessage(queue: string, sequenceNumber: number): void;
  setCounter(queue: string, last: number): void;
  setSessionState(queue: string, sessionId: string, state: Buffer | undefined): void;
  putRecentId(queue: string, recent: RecentId): void;
  removeRecentId(queue: string, messageId: string): void;
  afterCommit: GroupCommit["afterCommit"];
  /** Commits what is pending and closes the file. */
  close(): void;
};

export function openStore(dataFolder: string): Store {
  const database = openDatabase(dataFolder);
  const statements = prepare(database);
  const commits = groupCommit(database);
  const write = (run: () => unknown): void => commits.write(run);

  return {
    entities: () => statements.entities.all().map(entityOf),
    putEntity({ address, wanted, createdAtMs, updatedAtMs }) {
      write(() => statements.putEntity.run(address, wanted, createdAtMs, updatedAtMs));
    },
    removeEntity(address) {
      write(() => statements.removeEntity.run(address));
    },
    removeQueue(queue) {
      // Under the counter's key, so that it is done last and the counter does not outlive the queue.
      commits.writeLatest(queue, () => {
        for (const remove of statements.removeQueue) remove.run(queue);
      });
    },
    load: (queue) => loadQueue(statements, queue),
    putMessage(queue, message) {
      const row = messageRow(queue, message);
      write(() => statements.putMessage.run(row));
    },
    updateMessage(queue, { sequenceNumber, state, deliveryCount }) {
      write(() => statements.updateMessage.run(state, deliveryCount, queue, sequenceNumber));
    },
    removeMessage(queue, sequenceNumber) {
      write(() => statements.removeMessage.run(queue, sequenceNumber));
    },
    setCounter(queue, last) {
      commits.writeLatest(queue, () => statements.setCounter.run(queue, last));
    },
    setSessionState(queue, sessionId, state) {
      if (state === undefined) write(() => statements.removeState.run(queue, sessionId));
      else write(() => statements.putState.run(queue, sessionId, state));
    },
    putRecentId(queue, { messageId, sequenceNumber, seenAtMs }) {
      write(() => statements.putRecent.run(queue, messageId, sequenceNumber, seenAtMs));
    },
    removeRecentId(queue, messageId) {
      write(() => statements.removeRecent.run(queue, messageId));
    },
    afterCommit: (callback) => commits.afterCommit(callback),
    close() {
      commits.close();
      database.close();
    },
  };
}

function openDatabase(dataFolder: string): DatabaseSync {
  mkdirSync(dataFolder, { recursive: true });
  const database = new DatabaseSync(join(dataFolder, "service-bus.sqlite"));
  // Exclusive: two brokers on one file would each believe their own memory of it.
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;");
  database.exec("PRAGMA synchronous = FULL;");
  database.exec(SCHEMA);
  return database;
}

function prepare(database: DatabaseSync) {
  const columns = `queue, sequence_number, enqueued_sequence_number, state, message_id, session_id,
    enqueued_at_ms, scheduled_for_ms, time_to_live_ms, expires_at_ms, delivery_count,
    annotations, properties, application_properties, body`;
  const parameters = columns.replaceAll(/\w+/g, (column) => `$${column}`);
  return {
    putMessage: database.prepare(`INSERT INTO messages (${columns}) VALUES (${parameters})`),
    updateMessage: database.prepare(
      "UPDATE messages SET state = ?, delivery_count = ? WHERE queue = ? AND sequence_number = ?",
    ),
    removeMessage: database.prepare("DELETE FROM messages WHERE queue = ? AND sequence_number = ?"),
    setCounter: database.prepare("INSERT OR REPLACE INTO counters (queue, last) VALUES (?, ?)"),
    putState: database.prepare("INSERT OR REPLACE INTO session_states VALUES (?, ?, ?)"),
    removeState: database.prepare("DELETE FROM session_states WHERE queue = ? AND session_id = ?"),
    putRecent: database.prepare("INSERT OR REPLACE INTO recent_ids VALUES (?, ?, ?, ?)"),
    removeRecent: database.prepare("DELETE FROM recent_ids WHERE queue = ? AND message_id = ?"),
    messages: database.prepare("SELECT * FROM messages WHERE queue = ? ORDER BY sequence_number"),
    counter: database.prepare("SELECT last FROM counters WHERE queue = ?"),
    states: database.prepare("SELECT session_id, state FROM session_states WHERE queue = ?"),
    recent: database.prepare("SELECT * FROM recent_ids WHERE queue = ? ORDER BY seen_at_ms"),
    entities: database.prepare("SELECT * FROM entities ORDER BY created_at_ms"),
    putEntity: database.prepare("INSERT OR REPLACE INTO entities VALUES (?, ?, ?, ?)"),
    removeEntity: database.prepare("DELETE FROM entities WHERE address = ?"),
    removeQueue: ["messages", "counters", "session_states", "recent_ids"].map((table) =>
      database.prepare(`DELETE FROM ${table} WHERE queue = ?`),
    ),
  };
}

type Row = ReturnType<ReturnType<DatabaseSync["prepare"]>["all"]>[number];

function loadQueue(statements: ReturnType<typeof prepare>, queue: string): QueueContents {
  return {
    messages: statements.messages.all(queue).map(messageOf),
    lastSequenceNumber: Number(statements.counter.get(queue)?.["last"] ?? 0),
    sessionStates: new Map(
      statements.states.all(queue).map((row) => [text(row, "session_id"), bytes(row, "state")]),
    ),
    recentIds: statements.recent.all(queue).map((row) => ({
      messageId: text(row, "message_id"),
      sequenceNumber: Number(row["sequence_number"]),
      seenAtMs: Number(row["seen_at_ms"]),
    })),
  };
}

function messageRow(queue: string, message: Message) {
  return {
    queue,
    sequence_number: message.sequenceNumber,
    enqueued_sequence_number: message.enqueuedSequenceNumber,
    state: message.state,
    message_id: message.messageId,
    session_id: message.sessionId ?? null,
    enqueued_at_ms: message.enqueuedAtMs,
    scheduled_for_ms: message.scheduledForMs ?? null,
    time_to_live_ms: message.timeToLiveMs ?? null,
    expires_at_ms: message.expiresAtMs ?? null,
    delivery_count: message.deliveryCount,
    annotations: message.content.annotations ?? null,
    properties: message.content.properties,
    application_properties: message.content.applicationProperties ?? null,
    body: message.content.body,
  };
}

function messageOf(row: Row): Message {
  const optionalNumber = (column: string): number | undefined =>
    row[column] === null ? undefined : Number(row[column]);
  const optionalBytes = (column: string): Buffer | undefined =>
    row[column] === null ? undefined : bytes(row, column);
  return {
    sequenceNumber: Number(row["sequence_number"]),
    enqueuedSequenceNumber: Number(row["enqueued_sequence_number"]),
    state: text(row, "state") as MessageState,
    messageId: text(row, "message_id"),
    sessionId: row["session_id"] === null ? undefined : text(row, "session_id"),
    enqueuedAtMs: Number(row["enqueued_at_ms"]),
    scheduledForMs: optionalNumber("scheduled_for_ms"),
    timeToLiveMs: optionalNumber("time_to_live_ms"),
    expiresAtMs: optionalNumber("expires_at_ms"),
    deliveryCount: Number(row["delivery_count"]),
    content: {
      annotations: optionalBytes("annotations"),
      properties: bytes(row, "properties"),
      applicationProperties: optionalBytes("application_properties"),
      body: bytes(row, "body"),
    },
    lock: undefined,
  };
}

function entityOf(row: Row): EntityRow {
  return {
    address: text(row, "address"),
    wanted: row["wanted"] === null ? null : text(row, "wanted"),
    createdAtMs: Number(row["created_at_ms"]),
    updatedAtMs: Number(row["updated_at_ms"]),
  };
}

function text(row: Row, column: string): string {
  return String(row[column]);
}

function bytes(row: Row, column: string): Buffer {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw new Error(`Column ${column} holds no bytes.`);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
