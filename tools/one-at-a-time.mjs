/** What processes that start together must not do at once in one checkout. Plain JavaScript: see run.mjs. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const betweenLooksMs = 500;

/**
 * Holds `lockFile` while it works, after whoever holds it now. The file has the number of the process, so that nobody waits
 * for one that was killed.
 * @template Result
 * @param {string} lockFile
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function oneAtATime(lockFile, work) {
  for (let isNoted = false; !take(lockFile); isNoted = true) {
    if (!isNoted) {
      console.log(
        `Waiting for another process that installs or builds. If there is none, delete ${lockFile}.`,
      );
    }
    await delay(betweenLooksMs);
  }
  try {
    return await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function take(lockFile) {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (isLeftBehind(lockFile)) rmSync(lockFile, { force: true });
  return false;
}

function isLeftBehind(lockFile) {
  try {
    // One that is being written has no number yet, and 0 stands for processes of ours.
    process.kill(Number(readFileSync(lockFile, 'utf8')), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}
