// Posts a sample's deliveries as its company would: signed with the Standard Webhooks library, in
// the sample's order, as often as the sample says, each copy signed anew with the same id and body.
import { setTimeout as delay } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { secretOf } from "../azure/sources.ts";
import type { Secrets } from "../azure/sources.ts";
import type { Condition, Delivery } from "./sample-text.ts";
import type { Sample } from "./samples.ts";

/** One delivery as it was posted and answered; status 0: no answer at all. */
export interface Post {
  sample: string;
  deliveryId: string;
  status: number;
  body: string;
}

export interface Feed {
  hostUrl: string;
  secrets: Secrets;
  /** The source's time of a sample's first event. */
  firstEventMs: number;
  /** Of a sample's case, "held" included; `undefined`: there is none yet. */
  statusOf(sample: Sample): Promise<string | undefined>;
  /** Told of each answer as it comes. */
  onPost(post: Post): void;
  /** Aborted when the run is given up. */
  signal: AbortSignal;
}

const pollMs = 300;

export async function feedSample(feed: Feed, sample: Sample): Promise<void> {
  const answered = new Set<string>();
  for (const delivery of sample.deliveries) {
    await until(feed, sample, answered, delivery.after);
    await postCopies(feed, sample, delivery, delivery.atOnce);
    answered.add(delivery.id);
    if (delivery.laterCopies === undefined) continue;
    await until(feed, sample, answered, delivery.laterCopies.after);
    for (let copy = 0; copy < delivery.laterCopies.count; copy += 1) {
      await postCopies(feed, sample, delivery, 1);
    }
  }
}

async function until(
  feed: Feed,
  sample: Sample,
  answered: ReadonlySet<string>,
  condition: Condition | undefined,
): Promise<void> {
  if (condition === undefined) return;
  if ("answered" in condition) {
    if (answered.has(condition.answered)) return;
    throw new Error(`${sample.name} waits for ${condition.answered}, which is not before it`);
  }
  while ((await feed.statusOf(sample)) !== condition.status) {
    await delay(pollMs, undefined, { signal: feed.signal });
  }
}

async function postCopies(
  feed: Feed,
  sample: Sample,
  delivery: Delivery,
  count: number,
): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => post(feed, sample, delivery)));
}

async function post(feed: Feed, sample: Sample, delivery: Delivery): Promise<void> {
  const body = JSON.stringify({
    type: delivery.type,
    timestamp: new Date(feed.firstEventMs + delivery.offsetMs).toISOString(),
    data: delivery.data,
  });
  const secret = secretOf(feed.secrets, sample.source, sample.secret);
  const answer = await send(`${feed.hostUrl}/api/webhooks/${sample.source}`, body, {
    "content-type": "application/json",
    ...signature(secret, delivery.id, body),
  });
  feed.onPost({ sample: sample.name, deliveryId: delivery.id, ...answer });
}

/** The three headers of Standard Webhooks. */
export function signature(secret: string, id: string, body: string): Record<string, string> {
  const now = new Date();
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign(id, now, body),
  };
}

async function send(
  url: string,
  body: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: string }> {
  try {
    const response = await fetch(url, { method: "POST", headers, body });
    return { status: response.status, body: await response.text() };
  } catch (error) {
    // fetch throws TypeError for whatever goes wrong on the wire; it is counted as no answer.
    if (!(error instanceof TypeError)) throw error;
    return { status: 0, body: error.cause instanceof Error ? error.cause.message : error.message };
  }
}
