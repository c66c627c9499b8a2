// One whole answer, read within bounds: what an adapter may believe of it is its contract's affair (answer-of.ts).
//
// More than 64 KB, a broken packing and half a body are no answer. Bytes that are no UTF-8 are no body: their replacements would be
// somebody else's text.
import type { IncomingMessage } from "node:http";
import { brotliDecompressSync, unzipSync } from "node:zlib";
import type { HttpAnswers } from "../domain/contract.ts";
import { retryAfterMsOf } from "../domain/retry-after.ts";

export interface Answered {
  kind: "answered";
  status: number;
  /** Undefined when the body is empty or no JSON. */
  body: unknown;
  requestId: string | undefined;
  retryAfterMs: number | undefined;
  /** The provider says that it repeats an answer it kept under the key. */
  replayed: boolean;
}

export const answerBytesMax = 64 * 1024;

/** Rejects when the answer breaks off; `unread` says why it is not read. */
export async function readAnswer(
  response: IncomingMessage,
  marker: HttpAnswers["replayMarker"],
): Promise<Answered | { kind: "unread"; reason: string }> {
  const bytes = await readBounded(response);
  const { statusCode: status = 0 } = response;
  if (bytes === undefined) return { kind: "unread", reason: `${status} with more than 64 KB` };
  const header = (name: string) => headerOf(response, name);
  return {
    kind: "answered",
    status,
    body: parsed(bytes),
    requestId: header("x-request-id")?.slice(0, 128),
    retryAfterMs: retryAfterMsOf(header("retry-after") ?? null, sentMsOf(response)),
    replayed:
      marker !== undefined &&
      header(marker.header.toLowerCase())?.toLowerCase() === marker.value.toLowerCase(),
  };
}

/** Kept somewhere on the way: it tells of a time before it was asked for. */
export function isFromCache(response: IncomingMessage): boolean {
  return Number(headerOf(response, "age") ?? 0) > 0;
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  return [headers[name] ?? []].flat()[0];
}

/** A date to come again at is by the clock of whoever set it. */
function sentMsOf(response: IncomingMessage): number {
  const sentMs = Date.parse(headerOf(response, "date") ?? "");
  return Number.isNaN(sentMs) ? Date.now() : sentMs;
}

async function readBounded(response: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    byteCount += chunk.byteLength;
    // Leaving the loop destroys the socket.
    if (byteCount > answerBytesMax) return undefined;
    chunks.push(chunk);
  }
  return unpacked(Buffer.concat(chunks), response.headers);
}

/** Some pack whatever they are asked for; what does not unpack throws. */
function unpacked(bytes: Buffer, headers: IncomingMessage["headers"]): Buffer {
  const limit = { maxOutputLength: answerBytesMax };
  switch (headers["content-encoding"]?.toLowerCase() ?? "identity") {
    case "identity":
      return bytes;
    case "gzip":
    case "x-gzip":
    case "deflate":
      return unzipSync(bytes, limit);
    case "br":
      return brotliDecompressSync(bytes, limit);
    default:
      throw new Error("its encoding is not known");
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    // A TypeError: no UTF-8.
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
