// What a view shows, kept fresh: asked again every few seconds under the ETag of what is shown, slower while the app does not
// answer, and not at all while nobody looks.
//
// What came last stays on the screen when an answer fails: an old truth with its age says more than an empty page.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { ask } from "./ask.ts";
import type { Problem } from "./shapes.ts";

export interface Live<Body> {
  body?: Body;
  /** Of the last answer; what is shown is older then. */
  problem?: Problem;
  readAtMs?: number;
}

const everyMs = 4_000;
const slowestMs = 60_000;

/** Whoever has done something lets all views look at once. */
export const looks = signal(0);
export function lookAgain(): void {
  looks.value += 1;
}

/** `undefined`: there is nothing to ask for. */
export function useLive<Body>(path: string | undefined, pauseMs = everyMs): Live<Body> {
  const [live, setLive] = useState<Live<Body> & { path?: string }>({});
  const looked = looks.value;
  useEffect(() => {
    if (path === undefined) return undefined;
    const stop = new AbortController();
    let etag: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    const look = async () => {
      clearTimeout(timer);
      const answer = await ask<Body>(path, { etag, signal: stop.signal });
      if (stop.signal.aborted) return;
      if (answer.kind === "problem") {
        failures += 1;
        const { problem } = answer;
        setLive((last) => ({ ...(last.path === path ? last : {}), problem, path }));
      } else {
        failures = 0;
        const fresh = answer.kind === "body" ? { body: answer.body } : {};
        if (answer.kind === "body") etag = answer.etag;
        setLive((last) => ({ ...kept(last), ...fresh, readAtMs: Date.now(), path }));
      }
      if (!document.hidden) {
        timer = setTimeout(() => void look(), Math.min(slowestMs, pauseMs * 2 ** failures));
      }
    };
    const onVisible = () => {
      if (!document.hidden) void look();
    };
    document.addEventListener("visibilitychange", onVisible);
    void look();
    return () => {
      stop.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [path, looked, pauseMs]);
  // Of another path: not what is asked for now.
  return live.path === path ? live : {};
}

function kept<Body>({ body }: Live<Body>): Live<Body> {
  return body === undefined ? {} : { body };
}
