/** Opens the destination of the log. */
import { once } from 'node:events';
import pino from 'pino';

/** Bytes of log lines that wait while the destination is slow or its disk full. */
const maxWaitingBytes = 4 * 1024 * 1024;

/**
 * Opens the log file, or the standard output for null. While lines cannot be written, as on a full disk, the server keeps working: up to
 * 4 MiB of lines are written later, further ones are dropped.
 */
export async function openLog(file: string | null) {
  const log = pino.destination({ dest: file ?? 1, sync: file === null, maxLength: maxWaitingBytes });
  // If the start failed before the file is open, writing the error to it would fail too.
  if (file !== null) await once(log, 'ready');
  let isFailing = false;
  log.on('error', () => {
    isFailing = true;
  });
  log.on('write', () => {
    isFailing = false;
  });
  // The library repeats this until it succeeds, also when the process exits.
  const flushSync = log.flushSync.bind(log);
  log.flushSync = () => {
    if (!isFailing) flushSync();
  };
  return log;
}
