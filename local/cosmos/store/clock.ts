// The server's only clock. Everything that Azure would stamp with its own time (the `date` header,
// `_ts`, expiry, the change feed's start time) is read from here, so a test can run the service
// ahead of, or behind, the machine that the app runs on by setting `skewMs`.

export interface Clock {
  skewMs: number;
  nowMs(): number;
  nowSeconds(): number;
}

export function systemClock(): Clock {
  const clock: Clock = {
    skewMs: 0,
    nowMs: () => Date.now() + clock.skewMs,
    nowSeconds: () => Math.floor(clock.nowMs() / 1000),
  };
  return clock;
}
