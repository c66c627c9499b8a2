// What each minute's sweep does: wake what is due, and look again for the effects of early reports. If one of them fails, the other
// is still done, and the error is thrown afterwards.
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
