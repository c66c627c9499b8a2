// A local Azure Service Bus: an AMQP 1.0 broker on the loopback address that the unmodified clients of
// `@azure/service-bus`, for messages and for administration, take for the real one. See README.md for what it does and how it
// differs from Azure.
//
// Promises: what was answered is on disk. An accepted message survives restart and `kill -9`; a
// completed one is never delivered again (unless a fault was planned to do just that).

import { administrationApi } from "./administration/api.ts";
import { loopbackCertificate } from "./administration/loopback-certificate.ts";
import { serveAmqp } from "./amqp/listener.ts";
import { openBroker } from "./broker/broker.ts";
import { serveControlApi } from "./control/api.ts";
import { readEntities, type ServiceBusEntities } from "./entities.ts";
import { openPort } from "./port.ts";

export type ServiceBusOptions = {
  /** Holds the SQLite file. One broker at a time. */
  dataFolder: string;
  /** 0 or absent: a free one. */
  port?: number;
  entities?: ServiceBusEntities;
  controlPort?: number;
};

export type ServiceBus = {
  connectionString: string;
  port: number;
  /** PEM, and the file it is in: what a client must trust to administer (NODE_EXTRA_CA_CERTS, or `tlsOptions.ca`). */
  certificate: { text: string; path: string };
  controlUrl: string;
  close(): Promise<void>;
};

export async function startServiceBus(options: ServiceBusOptions): Promise<ServiceBus> {
  const broker = openBroker(options.dataFolder, readEntities(options.entities));
  try {
    const certificate = loopbackCertificate(options.dataFolder);
    const amqp = serveAmqp(broker, options.port ?? 0);
    const listener = await openPort(amqp, certificate, administrationApi(broker));
    const control = await serveControlApi(broker, options.controlPort ?? 0).catch(async (error) => {
      await listener.close();
      throw error;
    });
    return {
      connectionString: connectionString(listener.port),
      port: listener.port,
      certificate: { text: certificate.cert, path: certificate.path },
      controlUrl: control.url,
      async close() {
        await listener.close();
        await control.close();
        broker.close();
      },
    };
  } catch (error) {
    broker.close();
    throw error;
  }
}

function connectionString(port: number): string {
  return (
    `Endpoint=sb://127.0.0.1:${port};SharedAccessKeyName=local;SharedAccessKey=local;` +
    "UseDevelopmentEmulator=true;"
  );
}
