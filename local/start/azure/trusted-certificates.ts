// Whom the app's workers trust over TLS: the local Service Bus, which vouches for itself, and whoever
// this machine's own NODE_EXTRA_CA_CERTS names, a company's proxy for example. Node reads one file, and
// the environment's goes before the app's settings, so both stand in one file and it is set in both.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { StateFolder } from "./state-folder.ts";

export async function trustedCertificates(
  state: StateFolder,
  certificatePath: string,
): Promise<string> {
  const machines = process.env["NODE_EXTRA_CA_CERTS"];
  const certificates = await Promise.all([
    machines === undefined ? "" : readIfThere(machines),
    readFile(certificatePath, "utf8"),
  ]);
  const path = join(state.path, "trusted-certificates.pem");
  await writeFile(path, certificates.join("\n"));
  return path;
}

/** Node, too, goes on without it. */
async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
