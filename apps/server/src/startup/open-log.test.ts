import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openLog } from './open-log.ts';

let directory: string;
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'vestibule-log-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(directory, { recursive: true });
});

test('while the disk of the log is full, the server keeps working and can exit; the lines are written when there is space', async () => {
  const file = path.join(directory, 'server.log');
  const log = await openLog(file);
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const failedWrite = Promise.withResolvers<void>();
  vi.spyOn(fs, 'write').mockImplementation(((_fd: number, _data: unknown, done: (error: Error) => void) => {
    setImmediate(() => {
      done(full);
      failedWrite.resolve();
    });
  }) as never);
  log.write('first\n');
  await failedWrite.promise;
  const writeSync = vi.spyOn(fs, 'writeSync');
  log.flushSync();
  expect(writeSync).not.toHaveBeenCalled();

  vi.restoreAllMocks();
  log.write('second\n');
  await expect.poll(() => fs.readFileSync(file, 'utf8')).toBe('first\nsecond\n');
  log.end();
});

test('a file that reaches the maximum size becomes the previous file, also after a restart', async () => {
  const file = path.join(directory, 'server.log');
  const read = (name = file) => (fs.existsSync(name) ? fs.readFileSync(name, 'utf8') : '');
  for (const lines of ['abc', 'defg', 'hijkl']) {
    const log = await openLog(file, 10);
    for (const line of lines) {
      log.write(`${line}\n`);
      await expect.poll(() => read() + read(`${file}.1`)).toContain(line);
    }
    log.end();
    await once(log, 'close');
  }
  expect(read(`${file}.1`)).toBe('f\ng\nh\ni\nj\n');
  expect(read()).toBe('k\nl\n');
  expect(fs.readdirSync(directory)).toHaveLength(2);
});
