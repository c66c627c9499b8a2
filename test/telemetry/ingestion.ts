// Azure Monitor's ingestion, as far as an exporter needs it: takes what is posted, over TLS on this machine, and shows it.
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { CERTIFICATE, PRIVATE_KEY } from "../local/cosmos/service/loopback-certificate.ts";

const Envelope = z.object({
  name: z.string(),
  /** In percent: of how many spans this one is. */
  sampleRate: z.number().optional(),
  data: z.object({
    baseType: z.string(),
    baseData: z.looseObject({
      properties: z.record(z.string(), z.string()).optional(),
      metrics: z
        .array(
          z.object({
            name: z.string(),
            value: z.number(),
            count: z.number().optional(),
            max: z.number().optional(),
          }),
        )
        .optional(),
    }),
  }),
});
export type Envelope = z.infer<typeof Envelope>;

export interface Ingestion {
  connectionString: string;
  envelopes: Envelope[];
  /** Every measurement told so far, with its attributes. */
  metrics(): { name: string; value: number; count?: number; max?: number; properties: unknown }[];
  close(): void;
}

export async function startIngestion(): Promise<Ingestion> {
  const envelopes: Envelope[] = [];
  const identity = { cert: CERTIFICATE, key: PRIVATE_KEY };
  const server = createServer(identity, (request, response) => {
    void ingest(envelopes, request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    connectionString: `InstrumentationKey=${crypto.randomUUID()};IngestionEndpoint=https://127.0.0.1:${port}/`,
    envelopes,
    metrics: () =>
      envelopes.flatMap(({ data }) =>
        (data.baseData.metrics ?? []).map(({ count, max, name, value }) => ({
          name,
          value,
          ...(count === undefined ? {} : { count }),
          ...(max === undefined ? {} : { max }),
          properties: data.baseData.properties,
        })),
      ),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function ingest(
  envelopes: Envelope[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const bytes = await buffer(request);
  const isZipped = request.headers["content-encoding"] === "gzip";
  const text = (isZipped ? gunzipSync(bytes) : bytes).toString();
  const found = z.array(Envelope).safeParse(JSON.parse(text)).data ?? [];
  envelopes.push(...found);
  const count = found.length;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ itemsReceived: count, itemsAccepted: count, errors: [] }));
}
