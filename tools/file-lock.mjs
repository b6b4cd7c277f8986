/** What processes that start together must not do at once in one checkout. Plain JavaScript: see run.mjs. */
import { rmSync, statSync, utimes, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const betweenLooksMs = 500;
const betweenTouchesMs = 1_000;
const leftBehindAfterMs = 15_000;

/**
 * Holds `lockFile` while it works, after whoever holds it now. Whoever holds it touches it all the time: one that nobody
 * touches while we watch was left behind by a process that was killed. The number of a process would not say so: it is given
 * again, and is somebody else's in another container. Nor would the age of the file, where clocks differ.
 * @template Result
 * @param {string} lockFile
 * @param {() => Promise<Result>} work
 * @param {{ signal?: AbortSignal; leftBehindMs?: number }} [options] `signal` ends the wait
 * @returns {Promise<Result>}
 */
export async function oneAtATime(lockFile, work, { signal, leftBehindMs = leftBehindAfterMs } = {}) {
  let touched;
  let since = 0;
  while (!take(lockFile)) {
    if (touched === undefined) console.log('Waiting for another process that installs or builds.');
    const lastTouched = statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (lastTouched !== touched) {
      touched = lastTouched;
      since = performance.now();
    } else if (performance.now() - since >= leftBehindMs) {
      rmSync(lockFile, { force: true });
      continue;
    }
    await delay(betweenLooksMs, undefined, { signal });
  }
  const touching = setInterval(() => {
    // It may have been deleted by hand.
    utimes(lockFile, new Date(), new Date(), () => {});
  }, betweenTouchesMs).unref();
  try {
    return await work();
  } finally {
    clearInterval(touching);
    rmSync(lockFile, { force: true });
  }
}

function take(lockFile) {
  try {
    writeFileSync(lockFile, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}
