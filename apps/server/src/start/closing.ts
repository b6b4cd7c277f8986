/** What was opened is closed in the opposite order: all of it, whatever fails or hangs on the way. */
import { setTimeout as delay } from 'node:timers/promises';

type Step = () => unknown;

/** The queue of mails takes five seconds at most. */
const patienceMs = 6_000;

export function createClosing() {
  const opened: { step: Step; limitMs: number }[] = [];
  let closing: Promise<void> | undefined;

  async function closeAll(): Promise<void> {
    for (const { step, limitMs } of opened.toReversed()) await Promise.race([attempt(step), delay(limitMs)]);
  }

  return {
    /** The next step follows when this one has ended, has failed, or its time is over. */
    later: (step: Step, limitMs = patienceMs) => void opened.push({ step, limitMs }),
    close: () => (closing ??= closeAll()),
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
