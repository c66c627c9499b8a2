// GET /: the account, read once by each client and every five minutes.
//
// The client sends all further requests to `databaseAccountEndpoint`, so that is built from the
// address it used. The id must not be "localhost", or the client reads the account before each call.
import type { CosmosRequest, Reply } from "../protocol/exchange.ts";
import { json } from "../protocol/exchange.ts";
import type { Service } from "../service.ts";

export function readAccount(request: CosmosRequest, { settings }: Service): Reply {
  const locations = [{ name: "Local", databaseAccountEndpoint: `${request.origin}/` }];
  return json(
    200,
    {
      _self: "",
      id: "local-cosmos",
      _rid: "local-cosmos",
      media: "//media/",
      addresses: "//addresses/",
      _dbs: "//dbs/",
      writableLocations: locations,
      readableLocations: locations,
      enableMultipleWriteLocations: settings.multipleWriteLocations,
      enablePerPartitionFailoverBehavior: false,
      userReplicationPolicy: {
        asyncReplication: false,
        minReplicaSetSize: 1,
        maxReplicasetSize: 4,
      },
      userConsistencyPolicy: { defaultConsistencyLevel: settings.consistencyLevel },
      systemReplicationPolicy: { minReplicaSetSize: 1, maxReplicasetSize: 4 },
      readPolicy: { primaryReadCoefficient: 1, secondaryReadCoefficient: 1 },
      queryEngineConfiguration: "{}",
    },
    0,
  );
}
