/** Closes all resources in the reverse order of opening, even if one fails or hangs. */
import { setTimeout as delay } from 'node:timers/promises';

type Step = () => unknown;

const defaultLimitMs = 6_000;

export function createShutdown() {
  const steps: { step: Step; limitMs: number }[] = [];
  let closing: Promise<boolean> | undefined;

  async function closeAll(totalLimitMs: number): Promise<boolean> {
    const end = performance.now() + totalLimitMs;
    for (const { step, limitMs } of steps.toReversed()) {
      const remainingMs = Math.max(0, end - performance.now());
      await Promise.race([runStep(step), delay(Math.min(limitMs, remainingMs))]);
    }
    return performance.now() < end;
  }

  return {
    /** The next step starts when this one has ended, failed or timed out. */
    onClose: (step: Step, limitMs = defaultLimitMs) => void steps.push({ step, limitMs }),
    /** After `totalLimitMs` the remaining steps are started without waiting. Returns whether all ended in time. */
    close: (totalLimitMs: number) => (closing ??= closeAll(totalLimitMs)),
    isClosing: () => closing !== undefined,
  };
}

async function runStep(step: Step): Promise<void> {
  try {
    await step();
  } catch (error) {
    console.error(error);
  }
}
