/** Lock file for work that only one process may do in a checkout. Plain JavaScript: see run.mjs. */
import { rmSync, statSync, utimes, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const pollIntervalMs = 500;
const touchIntervalMs = 1_000;
const defaultStaleMs = 15_000;

/**
 * Runs `work` while holding `lockFile`. Waits while another process holds the file. The holder touches the file every second. A file
 * that is not touched for `staleAfterMs` is stale and is deleted. Process ids are not used, because they are reused and differ between
 * containers. The age of the file is not used, because clocks differ.
 * @template Result
 * @param {string} lockFile
 * @param {() => Promise<Result>} work
 * @param {{ signal?: AbortSignal; staleAfterMs?: number }} [options] `signal` stops waiting
 * @returns {Promise<Result>}
 */
export async function withFileLock(lockFile, work, { signal, staleAfterMs = defaultStaleMs } = {}) {
  let touched;
  let since = 0;
  while (!take(lockFile)) {
    if (touched === undefined) console.log('Waiting for another process that installs or builds.');
    const lastTouched = statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (lastTouched !== touched) {
      touched = lastTouched;
      since = performance.now();
    } else if (performance.now() - since >= staleAfterMs) {
      rmSync(lockFile, { force: true });
      continue;
    }
    await delay(pollIntervalMs, undefined, { signal });
  }
  const touchTimer = setInterval(() => {
    utimes(lockFile, new Date(), new Date(), () => {});
  }, touchIntervalMs).unref();
  try {
    return await work();
  } finally {
    clearInterval(touchTimer);
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
