/** Returns a function that runs at most `concurrency` tasks at a time, in order. */
export function limitConcurrency(
  concurrency: number,
): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const queued: (() => void)[] = [];
  return async (task) => {
    if (running >= concurrency) await new Promise<void>((resolve) => queued.push(resolve));
    running += 1;
    try {
      return await task();
    } finally {
      running -= 1;
      queued.shift()?.();
    }
  };
}
