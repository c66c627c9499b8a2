// Waits for something for so long and no longer. What comes later is not looked at; nothing is ended by it, so it is only for what
// changes nothing.

/** Undefined when it takes longer. */
export async function inTime<Value>(act: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), undefined);
  });
  try {
    return await Promise.race([act, late]);
  } finally {
    clearTimeout(timer);
  }
}
