// The console's files, as they were built, and the headers that each goes out with.
//
// The page holds nothing but the program: what it shows comes from the API, which asks for the principal each time. Nothing may
// run or be loaded in it that does not come from these files; a supplier's words in a payload least of all.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export interface ConsoleFile {
  headers: Record<string, string>;
  body: Uint8Array;
}

const mediaTypes: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const consoleHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

/** The page without a name; undefined: there is no such file, or none was built. */
export async function readConsoleFile(
  folder: string,
  name: string | undefined,
): Promise<ConsoleFile | undefined> {
  const isPage = name === undefined || name === "";
  const file = isPage ? "index.html" : name;
  const [, extension = ""] = /^(?:assets\/)?[\w-]+(?:\.[\w-]+)*\.(html|js|css)$/.exec(file) ?? [];
  const mediaType = mediaTypes[extension];
  if (mediaType === undefined) return undefined;
  const body = await read(join(folder, file));
  if (body === undefined) return undefined;
  // A file's name holds its digest, so it never changes; the page is what names them.
  const keep = extension === "html" ? "no-store" : "public, max-age=31536000, immutable";
  return {
    headers: { ...consoleHeaders, "content-type": mediaType, "cache-control": keep },
    body,
  };
}

async function read(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
