// A terminal of a test: keeps what was said, answers what it was told to answer.
import type { Terminal } from "../../ops/cli/terminal.ts";

export interface QuietTerminal extends Terminal {
  said: { out: string; err: string };
  asked: string[];
  interrupt(): void;
}

export function quietTerminal(
  options: { env?: Record<string, string>; answers?: readonly string[] } = {},
): QuietTerminal {
  const { answers, env = {} } = options;
  const left = [...(answers ?? [])];
  const controller = new AbortController();
  const said = { out: "", err: "" };
  const asked: string[] = [];
  return {
    said,
    asked,
    interrupt: () => controller.abort(),
    out: (text) => void (said.out += `${text}\n`),
    err: (text) => void (said.err += `${text}\n`),
    progress: (text) => void (said.err += `${text}\n`),
    isInteractive: answers !== undefined,
    async ask(question) {
      asked.push(question);
      return left.shift() ?? "";
    },
    env,
    signal: controller.signal,
  };
}
