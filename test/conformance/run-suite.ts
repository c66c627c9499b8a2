// Runs the cases with vitest and counts them by service.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";

export const serviceFolders = ["service-bus", "cosmos", "host"] as const;
export type ServiceFolder = (typeof serviceFolders)[number];
const NAMES = { "service-bus": "serviceBus", cosmos: "cosmos", host: "host" } as const;

export type Counts = { cases: number; passed: number; failed: number; failures: string[] };
export type Services = Partial<Record<(typeof NAMES)[ServiceFolder], Counts>>;

type Report = {
  testResults: {
    name: string;
    status: string;
    message?: string;
    assertionResults: { status: string; fullName: string; failureMessages?: string[] }[];
  }[];
};

const root = join(import.meta.dirname, "..", "..");
/** Elsewhere locks and windows are as long as Azure allows them to be short, and a case may have to wait for earlier ones. */
const AIMED_OPTIONS = ["--no-file-parallelism", "--testTimeout=240000", "--hookTimeout=240000"];

export async function runSuite(
  folders: readonly ServiceFolder[],
  aims: Record<string, string>,
): Promise<Services> {
  const scratch = mkdtempSync(join(tmpdir(), "conformance-"));
  try {
    const reportPath = join(scratch, "report.json");
    await runVitest(
      [
        ...folders.map((folder) => `conformance/${folder}/`),
        "--reporter=json",
        `--outputFile=${reportPath}`,
        ...(Object.keys(aims).length === 0 ? [] : AIMED_OPTIONS),
      ],
      aims,
    );
    const report = JSON.parse(readFileSync(reportPath, "utf8")) as Report;
    return Object.fromEntries(
      folders.map((folder) => [NAMES[folder], countsOf(report, folder)]),
    ) as Services;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function runVitest(args: string[], aims: Record<string, string>): Promise<void> {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", ...args], {
    cwd: root,
    env: { ...process.env, ...aims },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await new Promise((ended) => child.once("exit", ended));
}

function countsOf({ testResults }: Report, folder: ServiceFolder): Counts {
  const counts: Counts = { cases: 0, passed: 0, failed: 0, failures: [] };
  for (const file of testResults) {
    if (relative(import.meta.dirname, file.name).split(sep)[0] !== folder) continue;
    const ran = file.assertionResults.filter(
      ({ status }) => status === "passed" || status === "failed",
    );
    counts.cases += ran.length;
    counts.passed += ran.filter(({ status }) => status === "passed").length;
    for (const { fullName, status, failureMessages } of ran) {
      if (status !== "failed") continue;
      const [why = ""] = failureMessages ?? [];
      counts.failures.push(`${fullName}: ${why.split("\n")[0]}`);
    }
    // A file that could not be loaded, or whose hook failed, has cases that never ran.
    if (file.status === "failed" && !ran.some(({ status }) => status === "failed")) {
      counts.failures.push(`${relative(root, file.name)}: ${file.message ?? "it did not run"}`);
    }
  }
  counts.failed = counts.failures.length;
  return counts;
}
