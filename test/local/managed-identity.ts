// The endpoint from which an app on App Service or Functions gets tokens of its managed identity, on this machine; and such tokens.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface TokenAsked {
  resource: string;
  /** Of a user-assigned identity. */
  clientId: string | undefined;
}

export interface ManagedIdentity {
  /** As the platform sets them. */
  environment: { IDENTITY_ENDPOINT: string; IDENTITY_HEADER: string };
  asked: TokenAsked[];
  close(): void;
}

const hourSeconds = 3600;

export function tokenFor(aud: string, expiresInSeconds = hourSeconds): string {
  const exp = Math.floor(Date.now() / 1000) + expiresInSeconds;
  const [head, claims] = [
    { alg: "none", typ: "JWT" },
    { aud, exp, oid: "local" },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  return `${head}.${claims}.unsigned`;
}

export async function startManagedIdentity(): Promise<ManagedIdentity> {
  const secret = crypto.randomUUID();
  const asked: TokenAsked[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const resource = searchParams.get("resource") ?? "";
    const isKnown = request.headers["x-identity-header"] === secret && resource !== "";
    const clientId = searchParams.get("client_id") ?? undefined;
    if (isKnown) asked.push({ resource, clientId });
    const body = isKnown
      ? {
          access_token: tokenFor(resource),
          expires_on: String(Math.floor(Date.now() / 1000) + hourSeconds),
          resource,
          token_type: "Bearer",
        }
      : { error: "unauthorized_client" };
    response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    environment: {
      IDENTITY_ENDPOINT: `http://127.0.0.1:${port}/msi/token`,
      IDENTITY_HEADER: secret,
    },
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
