/** What was opened is closed in the opposite order: all of it, whatever fails or hangs on the way. */
import { setTimeout as delay } from 'node:timers/promises';

type Step = () => unknown;

/** The queue of mails takes five seconds at most. */
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
    /** The next step follows when this one has ended, has failed, or its time is over. */
    later: (step: Step, limitMs = patienceMs) => void opened.push({ step, limitMs }),
    /** When `inAllMs` are over, the steps that are left are begun, and none is waited for. Gives whether it was in time. */
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
