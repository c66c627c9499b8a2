// Timers: each second, slow, failing, retried, at start, by hand alone, disabled.
const { app } = require("@azure/functions");
const { setTimeout: delay } = require("node:timers/promises");
const { record } = require("../records.js");

const EACH_SECOND = "* * * * * *";
const HOURLY = "0 0 * * * *";

app.timer("each-second", {
  schedule: EACH_SECOND,
  handler: (timer) => record("each-second", { atMs: Date.now(), timer }),
});
app.timer("slow", {
  schedule: EACH_SECOND,
  handler: async () => {
    record("slow", "began");
    await delay(1300);
    record("slow", "ended");
  },
});
app.timer("failing", {
  schedule: EACH_SECOND,
  handler: () => {
    record("failing", Date.now());
    throw new Error("fails each time");
  },
});
app.timer("retried", {
  schedule: HOURLY,
  runOnStartup: true,
  retry: { strategy: "fixedDelay", maxRetryCount: 2, delayInterval: { seconds: 0 } },
  handler: (_timer, context) => {
    record("retried", context.retryContext);
    throw new Error("fails each time");
  },
});
app.timer("at-start", {
  schedule: HOURLY,
  runOnStartup: true,
  handler: () => record("at-start", Date.now()),
});
app.timer("by-hand", { schedule: HOURLY, handler: () => record("by-hand", Date.now()) });
app.timer("hourly", { schedule: HOURLY, handler: () => record("hourly", Date.now()) });
app.timer("disabled-timer", {
  schedule: EACH_SECOND,
  handler: () => record("disabled-timer", Date.now()),
});
