// Databases: create, list, read, delete.
import type { CosmosRequest, Reply } from "../protocol/exchange.ts";
import { json } from "../protocol/exchange.ts";
import { badRequest } from "../protocol/refusals.ts";
import type { Service } from "../service.ts";
import type { Database } from "../store/catalog.ts";
import { isObject } from "../store/json.ts";
import type { JsonObject } from "../store/json.ts";

const CREATE_CHARGE = 4.95;
const ID_CHARS_MAX = 255;

export function parseBody(body: string): JsonObject {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw badRequest("The request body is not valid JSON.");
  }
  if (!isObject(parsed)) throw badRequest("The request body is not a JSON object.");
  return parsed;
}

export function resourceId(body: JsonObject): string {
  const { id } = body;
  if (typeof id !== "string" || id === "" || id.length > ID_CHARS_MAX || /[/\\?#]| $/.test(id)) {
    throw badRequest("The id is missing, too long, ends with a space or contains / \\ ? or #.");
  }
  return id;
}

function shown({ id, rid, etag, ts }: Database) {
  const self = `dbs/${rid}/`;
  return { id, _rid: rid, _self: self, _etag: etag, _colls: "colls/", _users: "users/", _ts: ts };
}

export function createDatabase(request: CosmosRequest, { catalog }: Service): Reply {
  const database = catalog.createDatabase(resourceId(parseBody(request.body)));
  return { ...json(201, shown(database), CREATE_CHARGE), headers: { etag: database.etag } };
}

export function listDatabases(_request: CosmosRequest, { catalog }: Service): Reply {
  const databases = catalog.databases().map(shown);
  return json(200, { _rid: "", Databases: databases, _count: databases.length }, 2);
}

export function readDatabase({ segments }: CosmosRequest, { catalog }: Service): Reply {
  const database = catalog.database(segments[1] ?? "");
  return { ...json(200, shown(database), 2), headers: { etag: database.etag } };
}

export function deleteDatabase({ segments }: CosmosRequest, { catalog }: Service): Reply {
  catalog.deleteDatabase(segments[1] ?? "");
  return { status: 204, charge: CREATE_CHARGE };
}
