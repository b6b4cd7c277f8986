/** Closes all resources in the reverse order of opening, even if one fails or hangs. */
import { setTimeout as delay } from 'node:timers/promises';

type Step = () => unknown;

/** The mail queue takes five seconds at most. */
const patienceMs = 6_000;

export function createClosing() {
  const opened: { step: Step; limitMs: number }[] = [];
  let closing: Promise<boolean> | undefined;

  async function closeAll(inAllMs: number): Promise<boolean> {
    const end = performance.now() + inAllMs;
    for (const { step, limitMs } of opened.toReversed()) {
      const leftMs = Math.max(0, end - performance.now());
      await Promise.race([attempt(step), delay(Math.min(limitMs, leftMs))]);
    }
    return performance.now() < end;
  }

  return {
    /** The next step starts when this one has ended, failed or timed out. */
    later: (step: Step, limitMs = patienceMs) => void opened.push({ step, limitMs }),
    /** After `inAllMs` the remaining steps are started without waiting. Returns whether all ended in time. */
    close: (inAllMs: number) => (closing ??= closeAll(inAllMs)),
    hasBegun: () => closing !== undefined,
  };
}

async function attempt(step: Step): Promise<void> {
  try {
    await step();
  } catch (error) {
    console.error(error);
  }
}
