// Where the program reads and writes: the process's own streams, or a test's.
//
// Standard output is the result's alone; progress, questions and sentences about failures go to standard error.
import { createInterface } from "node:readline/promises";

export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Of long work: takes the place of the one before where lines can be rewritten. */
  progress(text: string): void;
  /** Somebody sits there and can be asked. */
  isInteractive: boolean;
  ask(question: string): Promise<string>;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

export function processTerminal(): Terminal {
  const interrupted = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      // Asked twice: whoever sits there does not want to hear more.
      if (interrupted.signal.aborted) process.exit(130);
      interrupted.abort();
    });
  }
  const { signal } = interrupted;
  let isRewriting = false;
  const err = (text: string): void => {
    process.stderr.write(isRewriting ? `\n${text}\n` : `${text}\n`);
    isRewriting = false;
  };
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err,
    progress(text) {
      if (!process.stderr.isTTY) return err(text);
      process.stderr.write(`\r\u001B[K${text}`);
      isRewriting = true;
    },
    isInteractive: process.stdin.isTTY && process.stderr.isTTY,
    async ask(question) {
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      // On a terminal, readline takes Ctrl-C for itself.
      lines.on("SIGINT", () => interrupted.abort());
      try {
        return await lines.question(question, { signal });
      } finally {
        lines.close();
      }
    },
    env: process.env,
    signal,
  };
}
