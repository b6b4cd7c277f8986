/** Periodic tasks of every server process. */

export type Timer = {
  milliseconds: number;
  /** For the log: "archiving". */
  name: string;
  /** A long task checks `stopped` between its steps. */
  task: (stopped: AbortSignal) => Promise<unknown>;
};

/** Runs `task` at this interval in milliseconds. */
export const every = (milliseconds: number, name: string, task: Timer['task']): Timer => ({
  milliseconds,
  name,
  task,
});

/** Returns the result of `work`, or of `late` after the time limit. `work` is not aborted. */
export function inTime<Result, Late>(
  work: Promise<Result>,
  milliseconds: number,
  late: () => Late,
): Promise<Result | Late> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  return Promise.race([work, over.then(late)]).finally(() => clearTimeout(timer));
}

/**
 * Starts the tasks. A task never overlaps itself, and a failed one runs again at its next time. `stop` waits for
 * running tasks.
 */
export function startTimers(
  timers: Timer[],
  logger: { error(details: object, message: string): void },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = new Map<Timer, Promise<unknown>>();
  const clocks = timers.map((timer) =>
    setInterval(() => {
      if (!running.has(timer)) running.set(timer, run(timer));
    }, timer.milliseconds),
  );
  return {
    async stop() {
      for (const clock of clocks) clearInterval(clock);
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
