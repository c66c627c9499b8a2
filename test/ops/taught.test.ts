// What the help and the RUNBOOK tell an operator to type: each of it exists, with those options.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { usualStatePath } from "../../local/start/azure/state-folder.ts";
import { operatorCommands } from "../../local/start/demo/waiting-in-words.ts";
import { programOf } from "../../ops/cli/program.ts";
import { run } from "../../ops/cli/run.ts";
import { quietTerminal } from "./quiet-terminal.ts";

const root = join(import.meta.dirname, "../..");

/** Every command that does something, by its whole name. */
function leavesOf(command: Command, name: string[] = []): { name: string; command: Command }[] {
  const below = command.commands.filter((one) => one.name() !== "help");
  if (below.length === 0) return [{ name: name.join(" "), command }];
  return below.flatMap((one) => leavesOf(one, [...name, one.name()]));
}

/** As a shell would split it; only what our examples use. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
}

/** Parses without doing anything: what is missing or unknown throws. */
async function whyNot(words: readonly string[]): Promise<string | undefined> {
  const terminal = quietTerminal();
  const program = programOf(terminal);
  for (const { command } of leavesOf(program)) command.action(() => undefined);
  try {
    await program.parseAsync([...words], { from: "user" });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function helpOf(name: string): Promise<string> {
  const terminal = quietTerminal();
  expect(await run(["help", ...name.split(" ")], terminal)).toBe(0);
  return terminal.said.out;
}

const names = leavesOf(programOf(quietTerminal())).map(({ name }) => name);

describe("every command", () => {
  test.each(names)("%s teaches by an example that can be pasted", async (name) => {
    const help = await helpOf(name);
    const example = /npm run ops -- (.+)/.exec(help.slice(help.indexOf("Example:")))?.[1] ?? "";
    expect(example.startsWith(name)).toBe(true);
    expect(await whyNot(wordsOf(example))).toBeUndefined();
  });

  test("that changes something has a dry run, asks for a reason or an id, and says what never to do", async () => {
    const writing = leavesOf(programOf(quietTerminal())).filter(({ command }) =>
      command.options.some(({ long }) => long === "--dry-run"),
    );
    expect(writing.map(({ name }) => name)).toEqual([
      "reviews resolve",
      "reviews confirm",
      "approvals answer",
      "dead-letters resubmit",
      "dead-letters archive",
      "dead-letters edit",
      "dead-letters drain",
      "grants grant",
      "grants revoke",
      "drain start",
      "drain stop",
    ]);
    for (const { name } of writing) expect(await helpOf(name)).toContain("Never:");
  });
});

/** `ops ...` in a document: a command with the options that it names; what must be filled in may be missing. */
function commandsIn(path: string): string[] {
  const written = readFileSync(join(root, path), "utf8");
  // What Markdown quotes may go on in the next line.
  const text = path.endsWith(".md") ? written.replaceAll(/\s+/g, " ") : written;
  return [...text.matchAll(/(?:`ops|npm run ops --) ([a-z][^`|\n]*)/g)].map(([, line]) =>
    (line ?? "").trim().replace(/^help /, ""),
  );
}

function unknownIn(line: string): string[] {
  let command = programOf(quietTerminal());
  const known = [...command.options];
  const words = wordsOf(line);
  for (const word of words) {
    const below = command.commands.find((one) => one.name() === word);
    if (below === undefined) break;
    command = below;
    known.push(...command.options);
  }
  const isWhole = names.some((name) => line.startsWith(name));
  const wrong = words.flatMap((word, index) => {
    if (!word.startsWith("--")) return [];
    const option = known.find(({ long }) => long === word);
    if (option === undefined) return word === "--help" ? [] : [`${word} is no option`];
    const value = words[index + 1] ?? "";
    const { argChoices } = option;
    return argChoices === undefined || argChoices.includes(value)
      ? []
      : [`${word} ${value} is none of ${argChoices.join(", ")}`];
  });
  return isWhole ? wrong : [`there is no such command`, ...wrong];
}

test.each(["ops/RUNBOOK.md", ".github/workflows/deploy.yml", "README.md"])(
  "the commands of %s exist as they are written",
  (path) => {
    const lines = commandsIn(path).filter((line) => !line.startsWith("...") && line !== "");
    const wrong = lines.map((line) => [line, unknownIn(line)] as const);
    expect(wrong.filter(([, why]) => why.length > 0)).toEqual([]);
  },
);

test.each([usualStatePath, "elsewhere"])(
  "what npm start tells an operator to paste is a whole command (state in %s)",
  async (statePath) => {
    for (const [, line] of operatorCommands(statePath, "http://127.0.0.1:7071")) {
      expect(line).toMatch(/^npm run ops -- /);
      expect(await whyNot(wordsOf(line.replace("npm run ops -- ", "")))).toBeUndefined();
    }
  },
);

test("the RUNBOOK tells commands at all", () => {
  expect(commandsIn("ops/RUNBOOK.md").length).toBeGreaterThan(7);
});

test("a kind of review that the RUNBOOK names is one", () => {
  const kinds = commandsIn("ops/RUNBOOK.md").flatMap(
    (line) => /--kind (\S+)/.exec(line)?.[1] ?? [],
  );
  const known = readFileSync(join(root, "shared/domain/records/review.ts"), "utf8");
  expect(kinds.filter((kind) => !known.includes(`"${kind}"`))).toEqual([]);
});
