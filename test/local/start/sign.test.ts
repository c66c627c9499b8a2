// The helper behind "an invoice exception of your own": what it prints, curl can post and the app verify.
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { describe, expect, onTestFinished, test } from "vitest";

const signPath = join(import.meta.dirname, "../../../local/start/sign.ts");
const secret = `whsec_${Buffer.from("a secret of 24 characters").toString("base64")}`;

async function stateFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sign-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const webhooks = { "acme-erp": [{ name: "2026-10", secret }] };
  const secrets = { caseIdKey: "", webhooks };
  await writeFile(join(folder, "secrets.json"), JSON.stringify(secrets));
  await writeFile(join(folder, "running.json"), JSON.stringify({ hostUrl: "http://127.0.0.1:9" }));
  return folder;
}

function sign(state: string, ...args: string[]) {
  return spawnSync("node", [signPath, "--state", state, ...args], { encoding: "utf8" });
}

/** curl reads `name = "value"`, with \" and \\ as in JSON. */
function readConfig(text: string): { url: string; headers: Record<string, string>; body: string } {
  const pairs = text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [name = "", quoted = ""] = line.split(/ = (.*)/);
      return [name, JSON.parse(quoted) as string] as const;
    });
  const all = (name: string) => pairs.filter(([one]) => one === name).map(([, value]) => value);
  return {
    url: all("url").join(),
    headers: Object.fromEntries(
      all("header").map((line) => line.split(/: (.*)/).slice(0, 2)),
    ) as Record<string, string>,
    body: all("data-binary").join(),
  };
}

describe("a signed webhook for curl", () => {
  test("goes to the running copy and verifies under the source's secret", async () => {
    const { stdout, stderr, status } = sign(await stateFolder(), "--invoice", 'RE 7/ä "x"');
    expect(status).toBe(0);
    const { url, headers, body } = readConfig(stdout);
    expect(url).toBe("http://127.0.0.1:9/api/webhooks/acme-erp");
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({
      type: "invoice.exception.raised",
      data: { invoice: 'RE 7/ä "x"', billed: "1249.00" },
    });
    expect(stderr).toBe(`${body}\n`);
  });

  test("is told apart from one that cannot be made because nothing runs", () => {
    const { stderr, status } = sign("/nonexistent");
    expect(status).toBe(3);
    expect(stderr).toBe("nothing runs on /nonexistent; start it with npm start.\n");
  });
});
