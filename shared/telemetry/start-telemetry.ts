// Loads the SDK only where somebody listens, and its exporters later still (sdk/exporters.ts): a cold start without a
// destination pays nothing, one with a destination the SDK's core.
import { silentTelemetry, type Telemetry } from "./telemetry.ts";
import type { TelemetryConfig } from "./telemetry-config.ts";

export interface Opened {
  telemetry: Telemetry;
  /** Hands on what is still here; never throws, and takes no longer than this. */
  close(withinMs: number): Promise<void>;
}

export async function startTelemetry(
  config: TelemetryConfig | undefined,
  instanceId: string,
): Promise<Opened> {
  if (config === undefined) return { telemetry: silentTelemetry, close: () => Promise.resolve() };
  const [{ openTelemetry }, { sinksOf }] = await Promise.all([
    import("./sdk/open-telemetry.ts"),
    import("./sdk/exporters.ts"),
  ]);
  return openTelemetry({ ...sinksOf(config), traceRatio: config.traceRatio, instanceId });
}
