// Change feed functions over one container, each with leases of its own.
const { app } = require("@azure/functions");
const { record } = require("../records.js");

const source = {
  connection: "Db",
  databaseName: "conformance-host",
  containerName: "items",
  createLeaseContainerIfNotExists: true,
  startFromBeginning: true,
  feedPollDelay: 50,
  leaseAcquireInterval: 200,
  leaseExpirationInterval: 5000,
  leaseRenewInterval: 500,
};

app.cosmosDB("feed", {
  ...source,
  leaseContainerPrefix: "feed",
  handler: (documents) => record("feed", documents),
});
app.cosmosDB("feed-singly", {
  ...source,
  leaseContainerPrefix: "singly",
  maxItemsPerInvocation: 1,
  handler: (documents) => record("feed-singly", documents),
});
app.cosmosDB("feed-failing", {
  ...source,
  leaseContainerPrefix: "failing",
  handler: (documents) => {
    record("feed-failing", documents);
    if (documents.some(({ poison }) => poison)) throw new Error("asked to fail");
  },
});
app.cosmosDB("feed-retried", {
  ...source,
  leaseContainerPrefix: "retried",
  retry: { strategy: "fixedDelay", maxRetryCount: 2, delayInterval: { seconds: 0 } },
  handler: (documents, context) => {
    record("feed-retried", { ids: documents.map(({ id }) => id), retry: context.retryContext });
    if (documents.some(({ poison }) => poison)) throw new Error("asked to fail");
  },
});
