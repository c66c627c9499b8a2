// A local Azure Service Bus: an AMQP 1.0 broker on the loopback address that an unmodified
// `@azure/service-bus` client takes for the real one. See README.md for what it does and how it
// differs from Azure.
//
// Promises: what was answered is on disk. An accepted message survives restart and `kill -9`; a
// completed one is never delivered again (unless a fault was planned to do just that).

import { listen } from "./amqp/listener.ts";
import { openBroker } from "./broker/broker.ts";
import { serveControlApi } from "./control/api.ts";
import { readEntities, type ServiceBusEntities } from "./entities.ts";

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
  controlUrl: string;
  close(): Promise<void>;
};

export async function startServiceBus(options: ServiceBusOptions): Promise<ServiceBus> {
  const broker = openBroker(options.dataFolder, readEntities(options.entities));
  try {
    const listener = await listen(broker, options.port ?? 0);
    const control = await serveControlApi(broker, options.controlPort ?? 0).catch(async (error) => {
      await listener.close();
      throw error;
    });
    return {
      connectionString: connectionString(listener.port),
      port: listener.port,
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
