/** Periodic tasks of every server process. */

export type Timer = {
  intervalMs: number;
  /** Name in the log, such as "archiving". */
  name: string;
  /** A long task checks `stopped` between its steps. */
  task: (stopped: AbortSignal) => Promise<unknown>;
};

/** Runs `task` at this interval in milliseconds. */
export const every = (intervalMs: number, name: string, task: Timer['task']): Timer => ({
  intervalMs,
  name,
  task,
});

/** Returns the result of `work`, or of `onTimeout` after the time limit. `work` is not aborted. */
export function withTimeout<Result, Late>(
  work: Promise<Result>,
  timeoutMs: number,
  onTimeout: () => Late,
): Promise<Result | Late> {
  const { promise: timedOut, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  return Promise.race([work, timedOut.then(onTimeout)]).finally(() => clearTimeout(timer));
}

/** Starts the tasks. A task never overlaps itself, and a failed one runs again at its next time. `stop` waits for running tasks. */
export function startTimers(
  timers: Timer[],
  logger: { error(details: object, message: string): void },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = new Map<Timer, Promise<unknown>>();
  const intervals = timers.map((timer) =>
    setInterval(() => {
      if (!running.has(timer)) running.set(timer, run(timer));
    }, timer.intervalMs),
  );
  return {
    async stop() {
      for (const clock of intervals) clearInterval(clock);
      stopping.abort();
      await Promise.all(running.values());
    },
  };

  async function run(timer: Timer): Promise<void> {
    try {
      await timer.task(stopping.signal);
    } catch (error) {
      logger.error({ err: error }, `${timer.name} failed`);
    } finally {
      running.delete(timer);
    }
  }
}
