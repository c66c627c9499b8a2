// Which function answers a request. Functions are tried in the order of their names (case ignored) and the
// first route that matches wins: there is no order of specificity. A wrong method is "no match".
import type { Binding } from "../protocol.ts";
import { optionText } from "../settings/binding-text.ts";
import { FunctionFault } from "../settings/app-settings.ts";
import type { HostedFunction } from "../settings/functions.ts";
import {
  matchRoute,
  type RouteParams,
  routeTemplate,
  type RouteTemplate,
} from "./route-template.ts";

export type AuthLevel = "anonymous" | "function" | "admin";

export type HttpRoute = {
  hosted: HostedFunction;
  template: RouteTemplate;
  methods: string[];
  authLevel: AuthLevel;
};

export type RouteTable = {
  routes: HttpRoute[];
  errors: { functionName: string; message: string }[];
};

function authLevelOf(trigger: Binding): AuthLevel {
  const level = (optionText(trigger, "authLevel") ?? "anonymous").toLowerCase();
  if (level === "anonymous" || level === "function" || level === "admin") return level;
  throw new FunctionFault(`"${level}" is not an authLevel.`);
}

function routeOf(hosted: HostedFunction, routePrefix: string): HttpRoute {
  const { route, methods } = hosted.trigger;
  const own = typeof route === "string" && route !== "" ? route : hosted.name;
  if (/^\/?(admin|runtime)/i.test(own)) {
    throw new FunctionFault(
      `The route "${own}" begins with a word that the host keeps for itself.`,
    );
  }
  const prefix = routePrefix.replace(/^\/+|\/+$/g, "");
  return {
    hosted,
    template: routeTemplate(prefix === "" ? own : `${prefix}/${own.replace(/^\/+/, "")}`),
    methods: (Array.isArray(methods) ? methods : ["GET", "POST"]).map((method) =>
      String(method).toUpperCase(),
    ),
    authLevel: authLevelOf(hosted.trigger),
  };
}

export function routeTable(functions: HostedFunction[], routePrefix: string): RouteTable {
  const table: RouteTable = { routes: [], errors: [] };
  const byName = functions.toSorted((a, b) =>
    a.name.toUpperCase() < b.name.toUpperCase() ? -1 : 1,
  );
  for (const hosted of byName) {
    if (hosted.trigger.type.toLowerCase() !== "httptrigger") continue;
    try {
      const route = routeOf(hosted, routePrefix);
      const rival = table.routes.find(
        (other) =>
          other.template.text.toLowerCase() === route.template.text.toLowerCase() &&
          other.methods.some((method) => route.methods.includes(method)),
      );
      if (rival !== undefined) {
        throw new FunctionFault(
          `The route "${route.template.text}" is already used by "${rival.hosted.name}" with a shared method.`,
        );
      }
      table.routes.push(route);
    } catch (error) {
      if (!(error instanceof FunctionFault)) throw error;
      table.errors.push({ functionName: hosted.name, message: error.message });
    }
  }
  return table;
}

/** The path's segments, percent-decoded; undefined when it is not valid percent-encoding. */
export function pathSegments(pathname: string): string[] | undefined {
  try {
    return pathname.replace(/^\//, "").replace(/\/$/, "").split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

export function findRoute(
  table: RouteTable,
  method: string,
  pathname: string,
): { route: HttpRoute; params: RouteParams } | undefined {
  const path = pathSegments(pathname);
  if (path === undefined) return undefined;
  for (const route of table.routes) {
    if (!route.methods.includes(method)) continue;
    const params = matchRoute(route.template, path);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}
