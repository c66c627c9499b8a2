// What the user sees while it starts and runs: plain lines, with colour only on a terminal that
// wants it. With --json everything here goes to standard error and standard output stays the result's.
import Table from "cli-table3";
import type { LocalAzure } from "./azure/local-azure.ts";
import { usualStatePath, workerPidFile } from "./azure/state-folder.ts";
import { isHeld, statusOf } from "./run/case-api.ts";
import type { CaseView } from "./run/case-api.ts";
import { effectCounts } from "./run/count-cases.ts";
import { isAsExpected } from "./run/count-run.ts";
import type { RunResult } from "./run/count-run.ts";
import type { Sample } from "./run/samples.ts";
import { operatorCommands, waitingLines } from "./demo/waiting-in-words.ts";
import type { WaitingWork } from "./demo/leave-work.ts";

export interface Screen {
  line(text?: string): void;
  step(what: string, detail: string): void;
  settled(sample: Sample, view: CaseView, progress: string): void;
  result(result: RunResult, reasons: readonly string[]): void;
  /** What the demo has left for an operator, and how to begin. */
  waits(work: WaitingWork, azure: LocalAzure, statePath: string): void;
  tryNext(azure: LocalAzure, example: NextExample): void;
}

/** What the lines to paste are about. */
export interface NextExample {
  tenantId: string;
  invoice: string;
  source: string;
  /** The state folder, as one would write it in the root of the repository. */
  statePath: string;
}

type Paint = (text: string) => string;

function paints(stream: NodeJS.WriteStream): Record<"bold" | "dim" | "green" | "red", Paint> {
  const inColour = stream.isTTY && process.env["NO_COLOR"] === undefined;
  const paint =
    (on: number, off: number): Paint =>
    (text) =>
      inColour ? `\u001B[${on}m${text}\u001B[${off}m` : text;
  return { bold: paint(1, 22), dim: paint(2, 22), green: paint(32, 39), red: paint(31, 39) };
}

export function screenOn(stream: NodeJS.WriteStream): Screen {
  const { bold, dim, green, red } = paints(stream);
  const line = (text = ""): void => void stream.write(`${text}\n`);

  return {
    line,
    step: (what, detail) => line(`  ${what.padEnd(16)}${detail}`),

    settled(sample, view, progress) {
      const went = sample.faults.length > 0 || sample.deliveries.length > 1;
      const status = statusOf(view).padEnd(17);
      const paint = isHeld(view) ? red : green;
      line(
        `  ${progress.padStart(5)}  ${sample.tenantId.padEnd(8)}${sample.invoice.padEnd(19)}` +
          `${paint(status)} ${effectsText(view).padEnd(24)}${went ? dim(sample.story) : ""}`.trimEnd(),
      );
    },

    result(result, reasons) {
      line();
      line(resultTable(result));
      for (const reason of reasons) process.stderr.write(`unexpected: ${reason}\n`);
      line(
        isAsExpected(result)
          ? green("Everything is as expected: nothing was applied twice, nothing was lost.")
          : red("This is not as local/samples/expected.json says; the reasons are above."),
      );
    },

    waits(work, { hostUrl }, statePath) {
      line();
      line(bold("For an operator there waits:"));
      for (const text of waitingLines(work)) line(`  ${text}`);
      if (work.consoleUrl !== undefined)
        line(`The console, with a choice of personas: ${work.consoleUrl}`);
      for (const [why, command] of operatorCommands(statePath, hostUrl)) {
        line();
        line(dim(`# ${why}`));
        line(command);
      }
    },

    tryNext(azure, example) {
      line();
      line(bold("It keeps running. Try, in another terminal:"));
      for (const [why, command] of nextCommands(azure, example)) {
        line();
        line(dim(`# ${why}`));
        line(command);
      }
      line();
      line("Ctrl-C ends it; what it knows stays in the state folder.");
    },
  };
}

function effectsText(view: CaseView): string {
  const counts = Object.entries(effectCounts([view])).filter(([, count]) => count > 0);
  return counts.map(([status, count]) => `${count} ${status}`).join(", ") || "no effects";
}

export function resultTable(result: RunResult): string {
  const noRulesBetweenRows = { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" };
  const table = new Table({ style: { head: [], border: [] }, chars: noRulesBetweenRows });
  const { effects } = result;
  const killed = result.kills.map(({ pid, signal }) => `${pid} ${signal}`).join(", ");
  table.push(
    ["cases", result.cases],
    ["  committed", result.committed],
    ["  in review", result.inReview],
    ["effects confirmed", effects.confirmed],
    ["  rejected", effects.rejected],
    ["  unknown, in review", effects.unknown],
    ["  cancelled", effects.cancelled],
    ["deliveries", result.deliveries],
    ["  duplicates absorbed", result.duplicateDeliveries],
    ["effects applied twice", result.appliedTwice],
    ["effects lost", result.lost],
    ["unexpected", result.unexpected],
    ["store writes a case", result.writesPerCase],
    ["store reads a case", result.readsPerCase],
    ["workers killed", killed || "none"],
  );
  return table.toString();
}

/** Invoices that no earlier start on this state has used. */
function ownInvoices(): [string, string, string] {
  const first = Math.floor(Date.now() / 1_000) % 1_000_000;
  return [`INV-${first}`, `INV-${first + 1}`, `INV-${first + 2}`];
}

/** Each works as pasted, from the root of the repository. */
function nextCommands(azure: LocalAzure, example: NextExample): [string, string][] {
  const { hostUrl, hostKey, providersUrl, telemetryUrl } = azure;
  const { tenantId, source, statePath } = example;
  const [plain, lost, killed] = ownInvoices();
  const stateArgument = statePath === usualStatePath ? "" : ` --state '${statePath}'`;
  const send = (invoice: string): string =>
    `node local/setup.mjs local/start/sign.ts${stateArgument} --invoice ${invoice} | curl -sS -i -K -`;
  const read = (tenant: string, invoice: string): string =>
    `curl -sS -H 'x-functions-key: ${hostKey}' ` +
    `'${hostUrl}/api/cases/${tenant}?externalRef=${encodeURIComponent(invoice)}'`;
  const order = (fault: string): string =>
    `curl -sS '${providersUrl}/_local/faults' ` +
    `-d '${JSON.stringify([{ provider: "supplier-portal", fault }])}'`;
  return [
    ["a case: the record, its effects, its history", read(tenantId, example.invoice)],
    ["an invoice exception of your own, signed", send(plain)],
    ["and what came of it", read("acme", plain)],
    [
      "a delivery with a signature that is not right",
      `curl -sS -i '${hostUrl}/api/webhooks/${source}' -H 'content-type: application/json' ` +
        `-H 'webhook-id: dlv-bad' -H "webhook-timestamp: $(date +%s)" ` +
        `-H 'webhook-signature: v1,${"A".repeat(43)}=' -d '{}'`,
    ],
    [
      "the portal does what it is asked and its answer is lost",
      `${order("commitThenDrop")} && ${send(lost)}`,
    ],
    [
      "take an authorization back: what needs it is held, visibly",
      `curl -sS -X POST '${hostUrl}/api/grants/acme/grant:acme:invoice-exception:email.send_notification.v1/revoke' ` +
        `-H 'content-type: application/json' -d '{"reason":"trying it out"}'`,
    ],
    [
      "the portal does what it is asked and hangs; the worker is killed in mid-call",
      `${order("hang")} && ${send(killed)} && sleep 1 && kill -9 "$(cat '${statePath}/${workerPidFile}')"`,
    ],
    ["a few seconds later: applied once, confirmed", read("acme", killed)],
    ...(telemetryUrl === undefined
      ? []
      : [
          [
            "each case's trace, from webhook to confirmed effect, and all measurements (or open it in a browser)",
            `curl -sS '${telemetryUrl}/'`,
          ] satisfies [string, string],
        ]),
    ["what the providers really did", `curl -sS '${providersUrl}/_local/journal'`],
  ];
}
