// CPU that processes have used, children left out, from /proc: user and system, of all their threads. The kernel counts in
// ticks of 10 ms, so a measurement of seconds is exact enough and one of milliseconds is not.
import { existsSync, readFileSync } from "node:fs";

const tickMs = 10;

/** "not measured" where there is no /proc: only Linux has one. */
export const cpuSource = existsSync("/proc/self/stat") ? "/proc/<pid>/stat" : "not measured";

export function cpuMs(pids: readonly number[]): number {
  if (cpuSource === "not measured") return NaN;
  return pids.map(ticksOf).reduce((sum, ticks) => sum + ticks * tickMs, 0);
}

function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // After the name in parentheses, which may hold anything: state is field 3, utime 14, stime 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** The load of the machine over the last minute: numbers taken beside other work are worth less. */
export function loadAverage(): number {
  if (!existsSync("/proc/loadavg")) return NaN;
  return Number(readFileSync("/proc/loadavg", "utf8").split(" ")[0]);
}
