// Which traces are told, where only a share of them is.
//
// The share is chosen by the trace's id, so every worker chooses the same, and a chosen trace is whole. Whatever the share, all
// that one invocation did is told if something in it failed or somebody said that it matters (`keep`). Nobody knows that
// before its end: until then its ended spans wait here, and are told with the times that they had, or never.
import type { Span } from "@opentelemetry/api";

/** Of one outermost span and all within it. */
export interface Keeper {
  /** Instead of the span's own. */
  end(span: Span): void;
  keep(): void;
  /** The outermost span has ended. */
  close(): void;
}

/** Azure Monitor's own name: in percent, so that what it counts of spans is counted up. */
const sampleRate = "microsoft.sample_rate";

export function keeperOf(traceId: string, ratio: number): Keeper {
  const waiting: { span: Span; endedAtMs: number }[] = [];
  let isKept = ratio >= 1;
  let isOver = false;
  const isChosen = shareOf(traceId) < ratio;
  function settle(): void {
    if (!isKept && !isOver) return;
    for (const { span, endedAtMs } of waiting.splice(0)) {
      if (!isKept && !isChosen) continue;
      if (!isKept) span.setAttribute(sampleRate, ratio * 100);
      span.end(endedAtMs);
    }
  }
  return {
    end(span) {
      waiting.push({ span, endedAtMs: performance.now() });
      settle();
    },
    keep() {
      isKept = true;
      settle();
    },
    close() {
      isOver = true;
      settle();
    },
  };
}

/** From 0 up to 1, evenly: the last 52 bits, which are random in every trace id. */
function shareOf(traceId: string): number {
  return Number.parseInt(traceId.slice(-13), 16) / 2 ** 52;
}
