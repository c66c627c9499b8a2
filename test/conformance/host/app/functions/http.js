// HTTP functions, hooks, and the way in which the suite reads what the others saw.
const { app, output } = require("@azure/functions");
const { record, recorded } = require("../records.js");

const started = { hooks: 0 };
app.hook.appStart(() => {
  started.hooks += 1;
});
app.hook.preInvocation((context) => {
  if (context.invocationContext.functionName !== "hooked") return;
  const handler = context.functionHandler;
  context.hookData.before = "before";
  context.functionHandler = async (...inputs) => {
    const { body } = await handler(...inputs);
    return { body: `wrapped ${body}` };
  };
});
app.hook.postInvocation((context) => {
  if (context.invocationContext.functionName === "hooked") {
    record("hooked", { before: context.hookData.before, body: context.result.body });
  }
  if (context.invocationContext.functionName === "rescued") {
    context.error = null;
    context.result = { status: 203, body: "rescued" };
  }
});

app.http("records", {
  route: "records/{name}",
  methods: ["GET"],
  handler: (request) => ({ jsonBody: recorded(request.params.name) }),
});

app.http("echo", {
  route: "echo/{id?}",
  methods: ["GET", "POST", "PUT"],
  handler: async (request, context) => ({
    jsonBody: {
      method: request.method,
      path: new URL(request.url).pathname,
      params: request.params,
      query: Object.fromEntries(request.query),
      header: request.headers.get("x-test"),
      bytes: Buffer.from(await request.arrayBuffer()).toString("hex"),
      functionName: context.functionName,
      invocationId: context.invocationId,
    },
  }),
});
app.http("plain-name", { handler: () => ({ body: "by its own name" }) });
app.http("counted", {
  route: "counted/{n:int}",
  handler: (request) => ({ body: request.params.n }),
});
app.http("rest", { route: "files/{*path}", handler: (request) => ({ body: request.params.path }) });
app.http("only-put", { methods: ["PUT"], handler: () => ({ body: "put" }) });
app.http("answers", {
  handler: () => ({
    status: 418,
    body: "a text",
    headers: { "x-answer": "yes", "content-type": "text/plain" },
    cookies: [{ name: "a", value: "b", sameSite: "Lax", httpOnly: true }],
  }),
});
app.http("bytes", { handler: () => ({ body: Buffer.from([0, 255, 10]) }) });
app.http("size", {
  handler: async (request) => ({ body: String((await request.arrayBuffer()).byteLength) }),
});
app.http("json", {
  handler: async (request) => ({ jsonBody: { got: (await request.json()).value } }),
});
app.http("throws", {
  handler: () => {
    throw new Error("the secret reason");
  },
});
app.http("rescued", {
  handler: () => {
    throw new Error("seen by a hook");
  },
});
app.http("hooked", { handler: () => ({ body: "x" }) });
app.http("started", { handler: () => ({ jsonBody: started }) });
app.http("setting", { handler: () => ({ body: process.env.GREETING }) });
app.http("guarded", { authLevel: "function", handler: () => ({ body: "in" }) });
app.http("masters", { authLevel: "admin", handler: () => ({ body: "in" }) });
app.http("disabled-http", { handler: () => ({ body: "must not run" }) });
app.http("hangs", { handler: () => new Promise(() => {}) });

// Two calls that meet: each answers once the other has come.
const waiting = [];
app.http("meets", {
  handler: () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length < 2) return;
      for (const meet of waiting.splice(0)) meet({ body: "met" });
    }),
});

app.http("sends", {
  extraOutputs: [
    output.serviceBusQueue({ name: "out", connection: "Bus", queueName: "conformance-host-plain" }),
  ],
  handler: async (request, context) => {
    context.extraOutputs.set("out", await request.json());
    return { status: 202 };
  },
});
app.http("puts", {
  extraOutputs: [
    output.cosmosDB({
      name: "out",
      connection: "Db",
      databaseName: "conformance-host",
      containerName: "items",
    }),
  ],
  handler: async (request, context) => {
    context.extraOutputs.set("out", await request.json());
    return { status: 202 };
  },
});
