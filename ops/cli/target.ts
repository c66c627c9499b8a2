// Which deployment is spoken to, and as whom.
//
//   --url, COUNTERSIGN_URL, else the local Azure that runs now (`npm start` leaves its address in its state folder)
//   on the local Azure    the persona of --persona, else the one that its host signs in by itself
//   on Azure              a token of DefaultAzureCredential (az login, or a pipeline's identity) for the app's registration
//
// A token never leaves over plain HTTP.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodes, Failure } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";

export interface TargetOptions {
  url?: string;
  persona?: string;
}

export interface Target {
  /** Without a slash at the end. */
  url: string;
  isLocal: boolean;
  headers(): Promise<Record<string, string>>;
}

const runningFile = join(import.meta.dirname, "../../.local/state/running.json");
const localHosts = ["127.0.0.1", "localhost", "[::1]"];
const clientIdSetting = "COUNTERSIGN_AUTH_CLIENT_ID";

export function targetOf(
  options: TargetOptions,
  env: Terminal["env"],
  runningPath = runningFile,
): Target {
  const url = new URL(checked(options.url ?? env["COUNTERSIGN_URL"] ?? localUrl(runningPath)));
  const address = `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  const clientId = env[clientIdSetting];
  const isLocal = localHosts.includes(url.hostname);
  if (isLocal) {
    const { persona } = options;
    const headers = persona === undefined ? {} : { "x-local-persona": persona };
    return { url: address, isLocal, headers: async () => headers };
  }
  if (options.persona !== undefined) {
    throw new Failure(
      exitCodes.usage,
      "--persona is known to the local Azure only; on Azure you are whoever `az login` signed in.",
    );
  }
  if (url.protocol !== "https:") {
    throw new Failure(exitCodes.usage, "give the address with https://; a token needs it.");
  }
  if (clientId === undefined || clientId === "") {
    throw new Failure(
      exitCodes.usage,
      `set ${clientIdSetting} to the client id of the app's registration (AUTH_CLIENT_ID of the deployment).`,
    );
  }
  const token = azureToken(clientId);
  return {
    url: address,
    isLocal,
    headers: async () => ({ authorization: `Bearer ${await token()}` }),
  };
}

function checked(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw new Failure(exitCodes.usage, `"${text}" is no address; give one like https://app.example.`);
}

function localUrl(path: string): string {
  try {
    const { hostUrl } = JSON.parse(readFileSync(path, "utf8")) as { hostUrl: string };
    return hostUrl;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Failure(
      exitCodes.usage,
      "no local Azure is running (start it with npm start); for another deployment give --url or COUNTERSIGN_URL.",
    );
  }
}

/** The identity library is loaded only where a token is needed; it renews the token by itself. */
function azureToken(clientId: string): () => Promise<string> {
  let credential: { getToken(scope: string): Promise<{ token: string } | null> } | undefined;
  return async () => {
    const { AuthenticationError, CredentialUnavailableError, DefaultAzureCredential } =
      await import("@azure/identity");
    credential ??= new DefaultAzureCredential();
    try {
      const token = await credential.getToken(`api://${clientId}/.default`);
      if (token !== null) return token.token;
    } catch (error) {
      // Of all that was tried; the library's own text is a page long.
      const isKnown =
        error instanceof AuthenticationError ||
        error instanceof CredentialUnavailableError ||
        (error instanceof Error && error.name.startsWith("Aggregate"));
      if (!isKnown) throw error;
    }
    throw new Failure(
      exitCodes.forbidden,
      "nobody is signed in to Azure here, or not for this app; run `az login` and try again.",
    );
  };
}
