// Which entities there are, and how they come and go while the broker runs.
//
//   the entities file --each start--> open, as the file says
//   a client          --create------> open, and kept in the store --update--> kept anew --remove--> gone
//
// The file is like a deployment: what it names is at each start as it says, whatever a client did to
// it in between. What a client made besides stays until a client removes it.
//
// Promises: what was answered is on disk. An entity that is being removed takes in nothing, and its
// name is free only once all that it held is gone. Names compare without regard to case.

import type {
  EntitySettings,
  QueueSettings,
  SubscriptionSettings,
  TopicSettings,
} from "../entities.ts";
import { changeSettings, discardQueue, openQueue, type Queue } from "./queue.ts";
import type { QueueSurroundings } from "./queue.ts";
import { filterOf } from "./topics/rule.ts";
import { addSubscription, inboxSettings, openTopic, subscriptionSettings } from "./topics/topic.ts";
import type { Topic } from "./topics/topic.ts";

export type WantedEntity =
  | { kind: "queue"; settings: QueueSettings }
  | { kind: "topic"; settings: TopicSettings }
  | { kind: "subscription"; topic: string; settings: SubscriptionSettings };

export type Entity = WantedEntity & {
  address: string;
  /** A topic's is its inbox. */
  queue: Queue;
  createdAtMs: number;
  updatedAtMs: number;
};

export type Catalog = {
  /** Queues first, then topics, then subscriptions; within a kind by name. */
  all(): Entity[];
  find(address: string): Entity | undefined;
  create(wanted: WantedEntity): Promise<Entity | "exists">;
  update(entity: Entity, wanted: WantedEntity): Promise<Entity>;
  /** With a topic go its subscriptions. */
  remove(entity: Entity): Promise<void>;
  /** Tells whoever serves a queue to clients that it is gone. */
  onRemoved(tell: (queue: Queue) => void): void;
};

const KINDS = ["queue", "topic", "subscription"] as const;

type State = {
  surroundings: QueueSurroundings;
  entities: Map<string, Entity>;
  topics: Map<string, Topic>;
  tellRemoved: ((queue: Queue) => void)[];
};

export function openCatalog(file: EntitySettings, surroundings: QueueSurroundings): Catalog {
  const { clock } = surroundings;
  const state: State = { surroundings, entities: new Map(), topics: new Map(), tellRemoved: [] };
  const { entities, topics } = state;
  openAll(state, file);
  return {
    all: () =>
      [...entities.values()]
        .filter(({ queue }) => !queue.deleted)
        .toSorted((a, b) => orderOf(a) - orderOf(b) || (a.address < b.address ? -1 : 1)),
    find(address) {
      const entity = entities.get(keyOf(address));
      return entity?.queue.deleted === true ? undefined : entity;
    },
    async create(wanted) {
      if (entities.has(keyOf(addressOf(wanted)))) return "exists";
      const nowMs = clock.nowMs();
      const entity = open(state, wanted, { createdAtMs: nowMs, updatedAtMs: nowMs });
      await keep(state, entity);
      return entity;
    },
    async update(entity, wanted) {
      const changed = { ...entity, ...wanted, updatedAtMs: clock.nowMs() };
      entities.set(keyOf(entity.address), changed);
      changeSettings(entity.queue, queueSettingsOf(wanted));
      if (wanted.kind === "subscription") changeRules(topics, wanted, entity.queue);
      await keep(state, changed);
      return changed;
    },
    remove: (entity) => remove(state, entity),
    onRemoved: (tell) => void state.tellRemoved.push(tell),
  };
}

function openAll(state: State, file: EntitySettings): void {
  const { clock, store } = state.surroundings;
  const nowMs = clock.nowMs();
  const rows = new Map(store.entities().map((row) => [keyOf(row.address), row]));
  for (const wanted of wantedBy(file)) {
    const address = addressOf(wanted);
    const row = rows.get(keyOf(address));
    const isAsLeft = row?.wanted === null;
    const times = {
      createdAtMs: row?.createdAtMs ?? nowMs,
      updatedAtMs: isAsLeft ? row.updatedAtMs : nowMs,
    };
    open(state, wanted, times);
    if (!isAsLeft) store.putEntity({ address, wanted: null, ...times });
  }
  const made = [...rows.values()]
    .flatMap(({ wanted, createdAtMs, updatedAtMs }) =>
      wanted === null
        ? []
        : [{ wanted: JSON.parse(wanted) as WantedEntity, times: { createdAtMs, updatedAtMs } }],
    )
    .toSorted((a, b) => orderOf(a.wanted) - orderOf(b.wanted));
  for (const { wanted, times } of made) {
    const isFree = !state.entities.has(keyOf(addressOf(wanted)));
    const hasTopic = wanted.kind !== "subscription" || state.topics.has(keyOf(wanted.topic));
    if (isFree && hasTopic) open(state, wanted, times);
  }
}

function open(
  state: State,
  wanted: WantedEntity,
  times: { createdAtMs: number; updatedAtMs: number },
): Entity {
  const address = addressOf(wanted);
  const entity = { ...wanted, ...times, address, queue: openParts(state, wanted) };
  state.entities.set(keyOf(address), entity);
  return entity;
}

function openParts({ surroundings, topics }: State, wanted: WantedEntity): Queue {
  switch (wanted.kind) {
    case "queue":
      return openQueue(wanted.settings, surroundings);
    case "topic": {
      const topic = openTopic(wanted.settings, surroundings);
      topics.set(keyOf(wanted.settings.name), topic);
      return topic.inbox;
    }
    case "subscription": {
      const topic = topics.get(keyOf(wanted.topic));
      if (topic === undefined) throw new Error(`There is no topic ${wanted.topic}.`);
      return addSubscription(topic, wanted.settings, surroundings).queue;
    }
  }
}

async function keep({ surroundings }: State, entity: Entity): Promise<void> {
  const { address, queue: _, createdAtMs, updatedAtMs, ...wanted } = entity;
  const { store } = surroundings;
  store.putEntity({ address, wanted: JSON.stringify(wanted), createdAtMs, updatedAtMs });
  await new Promise<void>((committed) => {
    store.afterCommit(committed);
  });
}

async function remove(state: State, entity: Entity): Promise<void> {
  const { entities, topics, surroundings } = state;
  const { store } = surroundings;
  const gone = [...entities.values()].filter(
    (other) => other === entity || (entity.kind === "topic" && isUnder(other, entity)),
  );
  if (entity.kind === "subscription") leaveTopic(topics.get(keyOf(entity.topic)), entity.queue);
  for (const { address, queue } of gone) {
    discardQueue(queue);
    store.removeEntity(address);
    for (const tell of state.tellRemoved) {
      for (const part of [queue, queue.deadLetterQueue ?? queue]) tell(part);
    }
  }
  await new Promise<void>((committed) => {
    store.afterCommit(committed);
  });
  for (const { address } of gone) entities.delete(keyOf(address));
  if (entity.kind === "topic") topics.delete(keyOf(entity.address));
}

function wantedBy(file: EntitySettings): WantedEntity[] {
  return [
    ...file.queues.map((settings) => ({ kind: "queue", settings }) as const),
    ...file.topics.map((settings) => ({ kind: "topic", settings }) as const),
    ...file.topics.flatMap(({ name, subscriptions }) =>
      subscriptions.map((settings) => ({ kind: "subscription", topic: name, settings }) as const),
    ),
  ];
}

export function addressOf(wanted: WantedEntity): string {
  return queueSettingsOf(wanted).name;
}

function queueSettingsOf(wanted: WantedEntity): QueueSettings {
  switch (wanted.kind) {
    case "queue":
      return wanted.settings;
    case "topic":
      return inboxSettings(wanted.settings);
    case "subscription":
      return subscriptionSettings(wanted.topic, wanted.settings);
  }
}

function changeRules(
  topics: Map<string, Topic>,
  { topic, settings }: WantedEntity & { kind: "subscription" },
  queue: Queue,
): void {
  const subscriptions = topics.get(keyOf(topic))?.subscriptions ?? [];
  for (const subscription of subscriptions) {
    if (subscription.queue === queue) subscription.wants = filterOf(settings.rules);
  }
}

function leaveTopic(topic: Topic | undefined, queue: Queue): void {
  if (topic === undefined) return;
  const place = topic.subscriptions.findIndex((subscription) => subscription.queue === queue);
  if (place >= 0) topic.subscriptions.splice(place, 1);
}

function isUnder(entity: Entity, topic: Entity): boolean {
  return entity.kind === "subscription" && keyOf(entity.topic) === keyOf(topic.address);
}

function orderOf({ kind }: WantedEntity): number {
  return KINDS.indexOf(kind);
}

function keyOf(address: string): string {
  return address.replace(/^\//, "").toLowerCase();
}
