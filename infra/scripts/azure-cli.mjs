// Calls the Azure CLI. The arguments go as a list, never through a shell, so no value can become a command; Windows starts
// `az.cmd` only through a shell, so there run these scripts in WSL or in the Cloud Shell.
import { spawnSync } from "node:child_process";

/** The parsed output of `az ARGUMENTS --output json`; throws what the CLI said, without the arguments. */
export function azure(argumentList) {
  const done = spawnSync("az", [...argumentList, "--output", "json"], { encoding: "utf8" });
  if (done.error !== undefined) {
    throw new Error("The Azure CLI (az) is not on the PATH. Install it, then run `az login`.");
  }
  if (done.status !== 0) throw new Error(done.stderr.trim() || `az ${argumentList[0]} failed`);
  return done.stdout.trim() === "" ? undefined : JSON.parse(done.stdout);
}

/** Prints one sentence and ends with 1. */
export function stop(sentence) {
  console.error(sentence);
  process.exit(1);
}
