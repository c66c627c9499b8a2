// The first span of a case's trace, the first place that absorbs a duplicate, and where a delivery that is not taken is counted.
//
// It goes on from the request's own trace, if the sender or the host gave one. The sender's id and reference stay out of it.
import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { IntakeResult } from "./record-event.ts";

export function traceIntake(
  telemetry: Telemetry,
  traceparent: string | undefined,
  act: () => Promise<IntakeResult>,
): Promise<IntakeResult> {
  return telemetry.span("intake", { from: traceparent }, async () => {
    const result = await act();
    const { caseKey, duplicate } = result.log;
    telemetry.note({ caseKey, duplicate, status: result.response.status });
    if (result.response.status >= 500) telemetry.keep();
    if (result.kind === "refused") {
      telemetry.count("countersign.deliveries.refused", { problem: result.problem.slug });
    }
    if (duplicate === true) {
      telemetry.count("countersign.duplicates.absorbed", { place: "intake" });
    }
    return result;
  });
}
