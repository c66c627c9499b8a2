// Access keys, on by default (`func start` switches them off; a test that passes without them proves nothing).
// `x-functions-key` counts before `code`. A master key opens everything; the host key opens functions.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuthLevel } from "./route-table.ts";

export type HostKeys = { master: string; host: string };
export type Access = "none" | "function" | "admin";

function newKey(): string {
  return randomBytes(40).toString("base64url");
}

function isHostKeys(value: unknown): value is HostKeys {
  if (typeof value !== "object" || value === null) return false;
  return (
    "master" in value &&
    typeof value.master === "string" &&
    "host" in value &&
    typeof value.host === "string"
  );
}

/** The keys of this data folder, made on first use. */
export function keptKeys(dataFolder: string): HostKeys {
  const path = join(dataFolder, "keys.json");
  let text: string | undefined;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  if (text !== undefined) {
    const kept: unknown = JSON.parse(text);
    if (isHostKeys(kept)) return kept;
    throw new Error(`${path} does not hold a master and a host key; remove it to get new ones.`);
  }
  const keys = { master: newKey(), host: newKey() };
  mkdirSync(dataFolder, { recursive: true });
  writeFileSync(path, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  return keys;
}

function isSame(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

export function accessOf(keys: HostKeys, header: string | undefined, code: string | null): Access {
  const given = header ?? code ?? "";
  if (isSame(given, keys.master)) return "admin";
  return isSame(given, keys.host) ? "function" : "none";
}

export function allows(access: Access, level: AuthLevel): boolean {
  switch (level) {
    case "anonymous":
      return true;
    case "function":
      return access !== "none";
    case "admin":
      return access === "admin";
  }
}
