// npm run conformance -- [--service-bus CONNECTION] [--cosmos CONNECTION] [--host URL --host-key KEY]
//                        [--only service-bus|cosmos|host] [--json] [--defects [TEXT]]
//
// The rules that Azure documents, asked through the real SDKs. Without a target the stand-ins are started, on free ports; with
// one, the same cases are put to it: real Azure, or Microsoft's emulators. Service Bus needs the entities of
// service-bus/entities.json there (the emulator can be started with that file), Cosmos DB gets a database of its own name that is
// deleted afterwards, and a host must run the app in host/app with the settings that host/running-host.ts lists.
// --defects plants each known defect into a copy of the stand-ins and prints how many the suite caught.
import { parseArgs } from "node:util";
import { runDefects } from "./defects/run-defects.ts";
import { runSuite, type Services, serviceFolders } from "./run-suite.ts";

const { values, positionals } = parseArgs({
  options: {
    "service-bus": { type: "string" },
    cosmos: { type: "string" },
    host: { type: "string" },
    "host-key": { type: "string" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
    defects: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

/** Fewer means that cases were lost on the way: a host alone, without its services, still has more. */
const casesMin = 40;

function print(services: Services): void {
  for (const [service, { cases, failed, failures, passed }] of Object.entries(services)) {
    console.log(`${service}: ${cases} cases, ${passed} passed, ${failed} failed`);
    for (const title of failures) console.log(`  failed: ${title}`);
  }
}

async function conform(): Promise<boolean> {
  const folders = serviceFolders.filter((folder) => (values.only ?? folder) === folder);
  if (folders.length === 0) {
    console.error(`--only ${values.only}: choose one of ${serviceFolders.join(", ")}.`);
    return false;
  }
  const aims = {
    ...(values["service-bus"] !== undefined && { CONFORMANCE_SERVICE_BUS: values["service-bus"] }),
    ...(values.cosmos !== undefined && { CONFORMANCE_COSMOS: values.cosmos }),
    ...(values.host !== undefined && { CONFORMANCE_HOST: values.host }),
    ...(values["host-key"] !== undefined && { CONFORMANCE_HOST_KEY: values["host-key"] }),
  };
  const services = await runSuite(folders, aims);
  if (values.json) {
    const counts = Object.entries(services).map(([service, { cases, failed, passed }]) => [
      service,
      { cases, passed, failed },
    ]);
    console.log(JSON.stringify(Object.fromEntries(counts)));
  } else print(services);
  return Object.values(services).every(({ cases, failed }) => cases >= casesMin && failed === 0);
}

const isGood = values.defects
  ? await runDefects({ only: positionals[0] ?? "", json: values.json })
  : await conform();
process.exitCode = isGood ? 0 : 1;
