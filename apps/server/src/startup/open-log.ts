/** Opens the destination of the log. */
import { once } from 'node:events';
import { renameSync, statSync } from 'node:fs';
import pino from 'pino';

/** Bytes of log lines that wait while the destination is slow or its disk full. */
const maxWaitingBytes = 4 * 1024 * 1024;
/** Size at which a log file is renamed to `server.log.1`, which replaces the previous one. */
const defaultMaxFileBytes = 64 * 1024 * 1024;

/**
 * Opens the log file, or the standard output for null. While lines cannot be written, as on a full disk, the server keeps working: up to
 * 4 MiB of lines are written later, further ones are dropped.
 */
export async function openLog(file: string | null, maxFileBytes = defaultMaxFileBytes) {
  const log = pino.destination({ dest: file ?? 1, sync: file === null, maxLength: maxWaitingBytes });
  // Errors of the start are written to the log, so the file must be open first.
  if (file !== null) await once(log, 'ready');
  let isFailing = false;
  log.on('error', () => {
    isFailing = true;
  });
  let fileBytes = file === null ? 0 : statSync(file).size;
  log.on('write', (bytes: number) => {
    isFailing = false;
    fileBytes += bytes;
    if (file === null || fileBytes < maxFileBytes) return;
    fileBytes = 0;
    try {
      renameSync(file, `${file}.1`);
      log.reopen();
    } catch {
      // The next attempt follows when the file has grown by its limit again.
    }
  });
  // The flush of the library repeats a failing write until it succeeds, so that the process would never exit.
  const flushSync = log.flushSync.bind(log);
  log.flushSync = () => {
    if (!isFailing) flushSync();
  };
  return log;
}
