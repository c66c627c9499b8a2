// One HTTP exchange as the providers see it: a bounded body in, and one of four ends out.
//
// `answer` sends a whole response, `drop` resets the connection without one, `hold` keeps the
// caller waiting until `release` or until it hangs up, and a caller that left in the middle of its
// body is `undefined`: nothing was received.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";

export const bodyBytesMax = 64 * 1024;

export async function readBody(request: IncomingMessage): Promise<Buffer | "tooLarge" | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > bodyBytesMax) return "tooLarge";
      parts.push(part);
    }
  } catch (error) {
    // The caller hung up in the middle of its body. Anything else is a defect.
    if ((error as NodeJS.ErrnoException).code === "ECONNRESET") return undefined;
    throw error;
  }
  return Buffer.concat(parts);
}

/** Resolves true once the last byte was handed to the socket, false when the caller had gone. */
export function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): Promise<boolean> {
  const isText = typeof body === "string";
  const text = isText ? body : JSON.stringify(body);
  return new Promise((resolve) => {
    response.once("finish", () => resolve(true));
    response.once("close", () => resolve(response.writableFinished));
    if (response.destroyed) {
      resolve(false);
      return;
    }
    response.writeHead(status, {
      "content-type": isText ? "text/html" : "application/json",
      "content-length": Buffer.byteLength(text),
      ...headers,
    });
    response.end(text);
  });
}

export function drop(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

export interface HeldCalls {
  /** Resolves "released" when told to answer, "gone" when the caller hangs up first. */
  hold(response: ServerResponse): Promise<"released" | "gone">;
  release(): number;
}

export function heldCalls(): HeldCalls {
  const held = new Set<() => void>();
  return {
    hold(response) {
      if (response.closed) return Promise.resolve("gone");
      return new Promise((resolve) => {
        const release = (): void => resolve("released");
        held.add(release);
        response.once("close", () => {
          held.delete(release);
          resolve("gone");
        });
      });
    },
    release() {
      const count = held.size;
      for (const release of held) release();
      held.clear();
      return count;
    },
  };
}
