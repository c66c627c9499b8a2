// The management API as the SDK's `ServiceBusAdministrationClient` uses it: Atom entries over https.
//
//   GET            /$namespaceinfo
//   GET            /$Resources/queues, /$Resources/topics, /TOPIC/Subscriptions/    feeds, by $skip and $top
//   GET PUT DELETE /QUEUE or TOPIC, /TOPIC/Subscriptions/NAME                       PUT with If-Match updates
//
// As in the broker's AMQP, a token must be there: whoever reaches the loopback address may do everything, but for
// an identity's token that is not for Service Bus.

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

import { whyRefused } from "../amqp/requests/cbs.ts";
import type { Broker } from "../broker/broker.ts";
import type { Entity, WantedEntity } from "../broker/catalog.ts";
import { descriptionOf } from "./describe.ts";
import { readDescription, type Named } from "./read-description.ts";
import { badRequest, isRefused, notSupported, refusals, type Refused } from "./refusals.ts";
import { childOf, readXml, writeXml, type Element, type Written } from "./xml.ts";

const ATOM = "http://www.w3.org/2005/Atom";
const PAGE_MAX = 100;
const BODY_MAX_BYTES = 256 * 1024;
const SUBSCRIPTION = /^(.+?)\/Subscriptions\/([^/]*)$/i;
const RULE = /\/Subscriptions\/[^/]+\/Rules(?:\/|$)/i;
const NAME = /^[A-Za-z0-9](?:[\w./-]{0,258}[A-Za-z0-9])?$/;

type Answer = { status: number; body: string } | Refused;
type Asked = { broker: Broker; request: IncomingMessage; url: URL; path: string };

export function administrationApi(broker: Broker): RequestListener {
  return (request, response) => {
    void respond(broker, request, response);
  };
}

async function respond(
  broker: Broker,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = await answerTo(broker, request);
  const refusal = isRefused(answer) ? { Code: answer.status, Detail: answer.detail } : undefined;
  response.writeHead(answer.status, { "content-type": "application/xml; charset=utf-8" });
  response.end(
    refusal === undefined ? (answer as { body: string }).body : writeXml("Error", refusal),
  );
}

async function answerTo(broker: Broker, request: IncomingMessage): Promise<Answer> {
  const { authorization } = request.headers;
  if (authorization === undefined) return refusals.unauthorized;
  const [, bearer] = /^Bearer (.*)$/i.exec(authorization) ?? [];
  const refused = bearer === undefined ? undefined : whyRefused(bearer);
  if (refused !== undefined) return { status: 401, detail: `InvalidToken: ${refused}.` };
  const url = URL.parse(request.url ?? "/", `https://${request.headers.host ?? "localhost"}`);
  const path = url === null ? undefined : decoded(url.pathname.slice(1));
  if (url === null || path === undefined) return badRequest("The address cannot be read.");
  const asked = { broker, request, url, path };
  if (RULE.test(path)) {
    return notSupported("Rules are not supported by the local Service Bus, but a first one is.");
  }
  const list = listed(broker, path);
  switch (request.method) {
    case "GET":
      if (/^\$namespaceinfo$/i.test(path)) return { status: 200, body: namespaceEntry(asked) };
      return list === undefined ? get(asked) : { status: 200, body: feed(asked, list) };
    case "PUT":
      return await put(asked);
    case "DELETE": {
      const entity = broker.catalog.find(path);
      if (entity === undefined) return refusals.notFound;
      await broker.catalog.remove(entity);
      return { status: 200, body: "" };
    }
    default:
      return { status: 405, detail: `There is no ${request.method} here.` };
  }
}

function get(asked: Asked): Answer {
  const entity = asked.broker.catalog.find(asked.path);
  if (entity !== undefined) return { status: 200, body: entry(asked, entity) };
  // Azure answers for a name of the first level with a feed that has nothing in it.
  return SUBSCRIPTION.test(asked.path) ? refusals.notFound : { status: 200, body: feed(asked, []) };
}

function listed(broker: Broker, path: string): Entity[] | undefined {
  const [, kind] = /^\$Resources\/(queue|topic)s$/i.exec(path) ?? [];
  const [, topic, subscription] = SUBSCRIPTION.exec(path) ?? [];
  if (kind !== undefined) return broker.catalog.all().filter((e) => e.kind === kind.toLowerCase());
  return topic === undefined || subscription !== "" ? undefined : subscriptionsOf(broker, topic);
}

function subscriptionsOf(broker: Broker, topic: string): Entity[] {
  const address = topic.toLowerCase();
  return broker.catalog
    .all()
    .filter((entity) => entity.kind === "subscription" && entity.topic.toLowerCase() === address);
}

async function put(asked: Asked): Promise<Answer> {
  const { catalog } = asked.broker;
  const text = await textOf(asked.request);
  const content = text === undefined ? undefined : childOf(readXml(text), "content");
  const [description] = content?.children ?? [];
  if (description === undefined) return badRequest("The body is no Atom entry with a description.");
  const named = nameOf(asked.path, description);
  if (named === undefined) return badRequest(`"${asked.path}" is no name for an entity.`);
  const wanted = readDescription(named, description);
  if (isRefused(wanted)) return wanted;
  const present = catalog.find(asked.path);
  if (asked.request.headers["if-match"] === undefined) {
    const topic = wanted.kind === "subscription" ? catalog.find(wanted.topic) : undefined;
    if (wanted.kind === "subscription" && topic?.kind !== "topic") return refusals.notFound;
    const created = await catalog.create(wanted);
    return created === "exists" ? refusals.exists : { status: 201, body: entry(asked, created) };
  }
  if (present === undefined) return refusals.notFound;
  const changed = changeOf(present, wanted);
  if (isRefused(changed)) return changed;
  return { status: 200, body: entry(asked, await catalog.update(present, changed)) };
}

/** What may be changed. The rule that a subscription began with is no part of its description. */
function changeOf(present: Entity, wanted: WantedEntity): WantedEntity | Refused {
  const fixed = ["requiresSession", "requiresDuplicateDetection"] as const;
  for (const name of fixed) {
    const [is, would] = [present, wanted].map(
      ({ settings }) => (settings as Partial<Record<typeof name, boolean>>)[name],
    );
    if (is !== would) return badRequest(`The value of ${name} cannot be changed once it is made.`);
  }
  if (present.kind !== wanted.kind) return refusals.exists;
  if (present.kind !== "subscription" || wanted.kind !== "subscription") return wanted;
  return { ...wanted, settings: { ...wanted.settings, rules: present.settings.rules } };
}

function nameOf(path: string, { name: root }: Element): Named | undefined {
  const [, topic, subscription] = SUBSCRIPTION.exec(path) ?? [];
  if (topic !== undefined && subscription !== undefined) {
    const isName = root === "SubscriptionDescription" && /^[\w.-]{1,50}$/.test(subscription);
    return isName ? { kind: "subscription", topic, name: subscription } : undefined;
  }
  if (!NAME.test(path)) return undefined;
  if (root === "QueueDescription") return { kind: "queue", name: path };
  return root === "TopicDescription" ? { kind: "topic", name: path } : undefined;
}

function entry(asked: Asked, entity: Entity): string {
  return writeXml("entry", { "@xmlns": ATOM, ...entryContent(asked, entity) });
}

function entryContent({ broker, url }: Asked, entity: Entity): Record<string, Written> {
  const { address, createdAtMs, updatedAtMs } = entity;
  const count = entity.kind === "topic" ? subscriptionsOf(broker, address).length : 0;
  return {
    id: new URL(`/${address}${url.search}`, url).href,
    title: { "@type": "text", "#": address },
    published: new Date(createdAtMs).toISOString(),
    updated: new Date(updatedAtMs).toISOString(),
    author: { name: url.hostname },
    content: { "@type": "application/xml", ...descriptionOf(entity, count) },
  };
}

function feed(asked: Asked, entities: Entity[]): string {
  const { url } = asked;
  const skip = countOf(url, "$skip") ?? 0;
  const top = Math.min(countOf(url, "$top") ?? PAGE_MAX, PAGE_MAX);
  const links = [{ "@rel": "self", "@href": url.href }];
  if (entities.length > skip + top) {
    const next = new URL(url);
    next.searchParams.set("$skip", String(skip + top));
    next.searchParams.set("$top", String(top));
    links.push({ "@rel": "next", "@href": next.href });
  }
  return writeXml("feed", {
    "@xmlns": ATOM,
    title: { "@type": "text", "#": asked.path },
    id: url.href,
    updated: new Date(asked.broker.clock.nowMs()).toISOString(),
    link: links,
    entry: entities.slice(skip, skip + top).map((entity) => entryContent(asked, entity)),
  });
}

/** undefined: not given, or no number from one on. */
function countOf(url: URL, name: string): number | undefined {
  const count = Math.trunc(Number(url.searchParams.get(name)));
  return count >= 1 ? count : undefined;
}

function namespaceEntry({ broker, url }: Asked): string {
  const times = broker.catalog.all().map(({ createdAtMs }) => createdAtMs);
  const createdAt = new Date(Math.min(broker.clock.nowMs(), ...times)).toISOString();
  const information = {
    CreatedTime: createdAt,
    MessagingSKU: "Standard",
    ModifiedTime: createdAt,
    Name: url.hostname,
    NamespaceType: "Messaging",
  };
  return writeXml("entry", {
    "@xmlns": ATOM,
    id: url.href,
    title: { "@type": "text", "#": url.hostname },
    content: { "@type": "application/xml", NamespaceInfo: information },
  });
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** undefined: longer than any description, or the client went in the middle of it. */
async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= BODY_MAX_BYTES) chunks.push(chunk);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ECONNRESET") return undefined;
    throw error;
  }
  return bytes > BODY_MAX_BYTES ? undefined : Buffer.concat(chunks).toString("utf8");
}
