// The proof that a packaged app is complete: it gets a signed webhook under the local host, on a given Node, and the supplier
// portal and the email provider have applied each effect once when the case is committed.
import { execFileSync } from "node:child_process";
import { openLocalWorld } from "../e2e/local-world.ts";

export async function runOneCase(options: { appFolder: string; nodePath: string }) {
  const nodeVersion = execFileSync(options.nodePath, ["--version"], { encoding: "utf8" }).trim();
  const world = await openLocalWorld(options);
  try {
    const invoice = "INV-PACKAGED-1";
    await world.post(world.raised(invoice));
    const done = await world.until(
      invoice,
      ({ case: { status }, effects }) =>
        status === "credit_requested" && effects.every((effect) => effect.status === "confirmed"),
    );
    const applied = await world.applied(invoice);
    const notOnce = Object.entries(applied).filter(([, count]) => count !== 1);
    if (Object.keys(applied).length < 3 || notOnce.length > 0) {
      throw new Error(`the providers applied ${JSON.stringify(applied)}`);
    }
    return {
      nodeVersion,
      status: done.case.status,
      functions: world.host.functions.length,
      applied,
    };
  } finally {
    await world.close();
  }
}
