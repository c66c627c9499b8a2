// Where telemetry goes, as the settings say (config.ts reads them). Neither destination: no SDK is loaded.
//
// The names are the platform's and OpenTelemetry's own, so that the Functions host reads the same ones.
import { z } from "zod";

export const TelemetrySettings = z.object({
  APPLICATIONINSIGHTS_CONNECTION_STRING: z.string().optional(),
  /** `Authorization=AAD`, with `ClientId=...` for a user-assigned identity. */
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: z.string().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.union([z.literal(""), z.url({ protocol: /^https?$/ })]).optional(),
  /** Which share of traces is told, from 0 to 1; whatever went wrong always is. */
  TRACE_RATIO: z
    .literal("")
    .transform(() => 1)
    .or(z.coerce.number().min(0).max(1))
    .default(1),
  OTEL_METRIC_EXPORT_INTERVAL: z.coerce.number().int().min(500).max(300_000).default(60_000),
});

export interface TelemetryConfig {
  azureMonitor?: AzureMonitor;
  /** The base address of an OTLP/HTTP collector. */
  otlpEndpoint?: string;
  exportIntervalMs: number;
  traceRatio: number;
}

export interface AzureMonitor {
  connectionString: string;
  /** Present: the app shows its identity, a user-assigned one by its client id. */
  identity?: { clientId?: string };
}

export function telemetryOf(settings: z.infer<typeof TelemetrySettings>): {
  telemetry?: TelemetryConfig;
} {
  const connectionString = settings.APPLICATIONINSIGHTS_CONNECTION_STRING ?? "";
  const otlpEndpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT ?? "";
  if (connectionString === "" && otlpEndpoint === "") return {};
  const shown = settings.APPLICATIONINSIGHTS_AUTHENTICATION_STRING ?? "";
  return {
    telemetry: {
      ...(connectionString === ""
        ? {}
        : { azureMonitor: { connectionString, ...identityIn(shown) } }),
      ...(otlpEndpoint === "" ? {} : { otlpEndpoint }),
      exportIntervalMs: settings.OTEL_METRIC_EXPORT_INTERVAL,
      traceRatio: settings.TRACE_RATIO,
    },
  };
}

function identityIn(text: string): Pick<AzureMonitor, "identity"> {
  const parts = new Map(
    text.split(";").map((part): [string, string] => {
      const [name = "", ...value] = part.split("=");
      return [name.trim().toLowerCase(), value.join("=").trim()];
    }),
  );
  if (parts.get("authorization")?.toLowerCase() !== "aad") return {};
  const clientId = parts.get("clientid");
  return { identity: clientId === undefined ? {} : { clientId } };
}
