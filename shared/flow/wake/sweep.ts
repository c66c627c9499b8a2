// What a sweep does, each minute: wakes what is due, and looks again for what early reports were about. What fails in the one
// keeps nobody from the other, and is thrown once both are done.
import { retryReports, type RetryPorts } from "./retry-reports.ts";
import { sweepDue, type SweepPorts } from "./sweep-due.ts";

export async function sweep(
  ports: { turn: SweepPorts; reports: RetryPorts },
  options: { wallClockMs: number },
): Promise<void> {
  const { log } = ports.turn;
  try {
    const { due, toCases, toReviews, more } = await sweepDue(ports.turn, options);
    log.info("swept", { due, toCases, toReviews, more });
  } finally {
    const { matched, unmatched, waiting } = await retryReports(ports.reports, options);
    if (matched + unmatched + waiting > 0) {
      log.info("reports looked at again", { matched, unmatched, waiting });
    }
  }
}
