// Service Bus functions. A body may ask for what its name says: `fail`, or `ms` to take that long.
const { app } = require("@azure/functions");
const { setTimeout: delay } = require("node:timers/promises");
const { record } = require("../records.js");

app.serviceBusQueue("plain-queue", {
  connection: "Bus",
  queueName: "conformance-host-plain",
  handler: (body, context) => {
    const { triggerMetadata } = context;
    record("plain", { body, metadata: triggerMetadata });
    if (body.fail) throw new Error("asked to fail");
  },
});
app.serviceBusQueue("in-session", {
  connection: "Bus",
  queueName: "%HOST_SESSIONS_QUEUE%",
  isSessionsEnabled: true,
  handler: async (body, context) => {
    const { deliveryCount, sessionId } = context.triggerMetadata;
    record("sessions", { kind: "began", sessionId, deliveryCount, ...body });
    await delay(body.ms ?? 0);
    if (body.fail) throw new Error("asked to fail");
    record("sessions", { kind: "ended", sessionId, deliveryCount, ...body });
  },
});
app.serviceBusQueue("many-queue", {
  connection: "Bus",
  queueName: "conformance-host-many",
  cardinality: "many",
  handler: (bodies, context) => {
    record("many", { bodies, ids: context.triggerMetadata.messageIdArray });
  },
});
app.serviceBusQueue("disabled-queue", {
  connection: "Bus",
  queueName: "conformance-host-disabled",
  handler: (body) => record("disabled-queue", body),
});
