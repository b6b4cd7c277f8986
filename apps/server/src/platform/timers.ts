/** What is done again and again by the clock, in every server process. */

export type Timer = {
  milliseconds: number;
  /** For the log, when it fails: "archiving". */
  name: string;
  /** A long one looks at `stopped` between its steps. */
  task: (stopped: AbortSignal) => Promise<unknown>;
};

/** Does `task` every so many milliseconds. */
export const every = (milliseconds: number, name: string, task: Timer['task']): Timer => ({
  milliseconds,
  name,
  task,
});

/** What comes of `work`, and of `late` where that takes longer. The work itself goes on. */
export function inTime<Result, Late>(
  work: Promise<Result>,
  milliseconds: number,
  late: () => Late,
): Promise<Result | Late> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  return Promise.race([work, over.then(late)]).finally(() => clearTimeout(timer));
}

/** Starts them. None runs twice at once, and one that fails is tried again at its next time. `stop` waits for those that run. */
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
