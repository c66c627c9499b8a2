// Offers: the throughput of a container, read and changed through its `_rid`.
import type { CosmosRequest, Reply } from "../protocol/exchange.ts";
import { json } from "../protocol/exchange.ts";
import { notFound } from "../protocol/refusals.ts";
import type { Service } from "../service.ts";
import type { Container } from "../store/catalog.ts";
import { isObject } from "../store/json.ts";
import { parseBody } from "./databases.ts";

function offerId({ cid }: Container): string {
  return `o${cid}`;
}

function shown(container: Container) {
  const id = offerId(container);
  return {
    id,
    _rid: id,
    _self: `offers/${id}/`,
    _etag: container.etag,
    _ts: container.ts,
    resource: `dbs/${container.databaseRid}/colls/${container.rid}/`,
    offerResourceId: container.rid,
    offerVersion: "V2",
    offerType: "Invalid",
    content: { offerThroughput: container.throughput ?? 400 },
  };
}

function offerOf({ segments }: CosmosRequest, { catalog }: Service): Container {
  const found = catalog.allContainers().find((container) => offerId(container) === segments[1]);
  if (found === undefined) throw notFound(`offer ${segments[1]}`);
  return found;
}

function replyOf(containers: readonly Container[]): Reply {
  return json(200, { _rid: "", Offers: containers.map(shown), _count: containers.length }, 2);
}

export function listOffers(_request: CosmosRequest, { catalog }: Service): Reply {
  return replyOf(catalog.allContainers());
}

/** The client looks for one container's offer by a query on `resource`, its value a parameter. */
export function queryOffers(request: CosmosRequest, { catalog }: Service): Reply {
  const asked = request.body;
  return replyOf(catalog.allContainers().filter((container) => asked.includes(container.rid)));
}

export function readOffer(request: CosmosRequest, service: Service): Reply {
  return json(200, shown(offerOf(request, service)), 2);
}

export function replaceOffer(request: CosmosRequest, service: Service): Reply {
  const container = offerOf(request, service);
  const { content } = parseBody(request.body);
  const throughput = isObject(content) ? Number(content["offerThroughput"]) : Number.NaN;
  if (throughput > 0) service.catalog.setThroughput(container, throughput);
  return json(200, shown(container), 2);
}
