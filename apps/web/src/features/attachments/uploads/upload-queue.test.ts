import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { StartTransfer, TransferFailure } from './transfer.ts';
import { fingerprintOf, UploadQueue, type KeptUpload } from './upload-queue.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A file of any size, which nobody reads here. */
function fileOf(name: string, size = 1_000): File {
  const file = new File([], name, { lastModified: 1_700_000_000_000 });
  Object.defineProperty(file, 'size', { value: size });
  return file;
}

type Attempt = { file: File; from: string | null; stopped: boolean } & Parameters<StartTransfer>[1];

/** A queue whose transfers the test plays. */
function playedQueue(kept: KeptUpload[] = []) {
  const attempts: Attempt[] = [];
  const ended: string[] = [];
  const arrived: string[] = [];
  const memory = new Map(kept.map((upload) => [upload.fingerprint, upload]));
  const queue = new UploadQueue({
    start: ({ file, url }, notify) => {
      const attempt = { file, from: url, stopped: false, ...notify };
      attempts.push(attempt);
      return { stop: () => (attempt.stopped = true) };
    },
    end: async (url) => void ended.push(url),
    arrived: (file, url) => void arrived.push(`${file.name} at ${url}`),
    memory: {
      find: (fingerprint) => memory.get(fingerprint),
      keep: (upload) => memory.set(upload.fingerprint, upload),
      forget: (fingerprint) => memory.delete(fingerprint),
    },
  });
  const attempt = (index: number) => {
    const found = attempts.at(index);
    if (!found) throw new Error(`There is no attempt ${index}.`);
    return found;
  };
  const states = () => queue.progress().uploads.map(({ state }) => state);
  return { queue, attempts, attempt, ended, arrived, memory, states };
}

const lost: TransferFailure = { kind: 'lost', message: 'The server could not be reached.' };
const refused: TransferFailure = { kind: 'refused', message: 'There is no room left.' };

test('of a file that is all there is heard once, and of none that failed or was cancelled', () => {
  const { queue, attempt, arrived } = playedQueue();
  queue.add(['a', 'b', 'c'].map((name) => fileOf(name)));
  for (const index of [0, 1, 2]) attempt(index).url(`/uploads/${index}`);
  attempt(0).done();
  attempt(1).failed(refused);
  queue.cancel(queue.progress().uploads.at(-1)?.id ?? 0);
  attempt(2).done();
  expect(arrived).toEqual(['a at /uploads/0']);
});

test('three go at once; the others wait for their turn (K7)', () => {
  const { queue, attempts, attempt, states } = playedQueue();
  queue.add(['a', 'b', 'c', 'd', 'e'].map((name) => fileOf(name)));
  expect(states()).toEqual(['running', 'running', 'running', 'waiting', 'waiting']);
  attempt(1).done();
  expect(states()).toEqual(['running', 'done', 'running', 'running', 'waiting']);
  attempt(0).failed(refused);
  expect(attempts).toHaveLength(5);
  expect(queue.progress()).toMatchObject({ active: 3, done: 1, total: 4_000 });
});

test('progress, speed and remaining time go by what moved in the last seconds (K7)', () => {
  const { queue, attempt } = playedQueue();
  queue.add([fileOf('a', 100_000)]);
  const upload = attempt(0);
  // What the server had before is not fast, it is there.
  upload.progress(20_000);
  expect(queue.progress().bytesPerSecond).toBeNull();
  for (let sent = 30_000; sent <= 60_000; sent += 10_000) {
    vi.advanceTimersByTime(1_000);
    upload.progress(sent);
  }
  vi.advanceTimersByTime(200);
  const { sent, bytesPerSecond, secondsLeft } = queue.progress();
  expect(sent).toBe(60_000);
  expect(bytesPerSecond).toBeGreaterThan(8_000);
  expect(bytesPerSecond).toBeLessThan(14_000);
  expect(secondsLeft).toBeGreaterThan(2.5);
  expect(secondsLeft).toBeLessThan(5.5);
});

test('a lost connection is waited out longer and longer; a new one ends the waiting (K7)', () => {
  const { queue, attempts, attempt, states } = playedQueue();
  queue.add([fileOf('a')]);
  attempt(0).url('/uploads/1');
  const pauses: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    const before = attempts.length;
    attempt(-1).failed(lost);
    expect(states()).toEqual(['lost']);
    let waited = 0;
    for (; attempts.length === before; waited += 500) vi.advanceTimersByTime(500);
    pauses.push(waited);
  }
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  expect(attempt(-1).from).toBe('/uploads/1');
  attempt(-1).failed(lost);
  queue.wake();
  expect(states()).toEqual(['running']);
  // Something moved: the next loss begins with the short pause again.
  attempt(-1).progress(10);
  attempt(-1).progress(20);
  attempt(-1).failed(lost);
  const before = attempts.length;
  vi.advanceTimersByTime(1_000);
  expect(attempts).toHaveLength(before + 1);
});

test('the server says when to come back (K7)', () => {
  const { queue, attempts, attempt } = playedQueue();
  queue.add([fileOf('a')]);
  attempt(0).failed({ ...lost, retryAt: Date.now() + 45_000 });
  vi.advanceTimersByTime(44_000);
  expect(attempts).toHaveLength(1);
  vi.advanceTimersByTime(1_500);
  expect(attempts).toHaveLength(2);
});

test('a paused upload stops, frees its place and goes on where it was (K7)', () => {
  const { queue, attempt, states } = playedQueue();
  queue.add(['a', 'b', 'c', 'd'].map((name) => fileOf(name)));
  attempt(0).url('/uploads/1');
  queue.pause(1);
  expect(attempt(0).stopped).toBe(true);
  expect(states()).toEqual(['paused', 'running', 'running', 'running']);
  // What the stopped attempt still says changes nothing.
  attempt(0).failed(refused);
  expect(states()[0]).toBe('paused');
  queue.resume(1);
  expect(states()[0]).toBe('waiting');
  attempt(1).done();
  expect(attempt(-1)).toMatchObject({ from: '/uploads/1', stopped: false });

  queue.pauseAll();
  expect(queue.progress().active).toBe(0);
  queue.resumeAll();
  expect(queue.progress().active).toBe(3);
});

test('a cancelled upload goes, here and at the server; one that is done only leaves the list (K7)', () => {
  const { queue, attempt, ended, memory } = playedQueue();
  queue.add([fileOf('a'), fileOf('b')]);
  attempt(0).url('/uploads/1');
  attempt(1).url('/uploads/2');
  queue.cancel(1);
  expect(ended).toEqual(['/uploads/1']);
  expect(memory.size).toBe(1);
  attempt(1).done();
  queue.cancel(2);
  expect(ended).toEqual(['/uploads/1']);
  expect(queue.progress().uploads).toEqual([]);
  expect(memory.size).toBe(0);
});

test('what was refused says why and can be tried again (K7)', () => {
  const { queue, attempt } = playedQueue();
  queue.add([fileOf('a')]);
  attempt(0).failed(refused);
  expect(queue.progress().uploads[0]).toMatchObject({ state: 'failed', problem: refused });
  vi.advanceTimersByTime(600_000);
  expect(queue.progress().uploads[0]).toMatchObject({ state: 'failed' });
  queue.resume(1);
  expect(queue.progress().uploads[0]).toMatchObject({ state: 'running', problem: undefined });
});

test('what failed and is chosen again goes on with the file as it is now, from where it stopped (K7)', () => {
  const { queue, attempt, states } = playedQueue();
  queue.add([fileOf('a')]);
  attempt(0).url('/uploads/1');
  attempt(0).failed(refused);
  const again = fileOf('a');
  queue.add([again]);
  expect(states()).toEqual(['running']);
  expect(attempt(1).from).toBe('/uploads/1');
  expect(attempt(1).file).toBe(again);
});

test('after a reload the same file goes on where it stopped, another one of its name does not (K7)', () => {
  const before = playedQueue();
  before.queue.add([fileOf('film.mp4', 5_000)]);
  before.attempt(0).url('/uploads/1');
  before.attempt(0).progress(2_000);
  vi.advanceTimersByTime(200);
  const kept = [...before.memory.values()];
  expect(kept).toMatchObject([{ name: 'film.mp4', size: 5_000, sent: 2_000, url: '/uploads/1' }]);

  const after = playedQueue(kept);
  after.queue.add([fileOf('film.mp4', 5_001), fileOf('film.mp4', 5_000)]);
  expect(after.attempt(0).from).toBeNull();
  expect(after.attempt(1).from).toBe('/uploads/1');
  after.attempt(1).done();
  expect(after.memory.size).toBe(0);
});

test('an upload that the server has given up begins anew, once (K7)', () => {
  const gone: TransferFailure = { kind: 'gone', message: 'There is no such upload.' };
  const file = fileOf('a');
  const { queue, attempts, attempt } = playedQueue([
    { fingerprint: fingerprintOf(file), name: 'a', size: 1_000, sent: 500, url: '/uploads/old' },
  ]);
  queue.add([file]);
  attempt(0).failed(gone);
  expect(attempt(1).from).toBeNull();
  attempt(1).url('/uploads/new');
  attempt(1).failed(gone);
  expect(attempts).toHaveLength(2);
  expect(queue.progress().uploads[0]?.state).toBe('failed');
});

test('the same file is not taken twice while it is on its way (K7)', () => {
  const { queue, attempts, attempt } = playedQueue();
  queue.add([fileOf('a'), fileOf('a')]);
  expect(attempts).toHaveLength(1);
  attempt(0).done();
  queue.add([fileOf('a')]);
  expect(attempts).toHaveLength(2);
});

test('a thousand small files all arrive, and nobody is told of every byte (K7)', () => {
  const { queue, attempts, states } = playedQueue();
  const notify = vi.fn<() => void>();
  queue.watch(notify);
  queue.add(Array.from({ length: 1_000 }, (_, index) => fileOf(`${index}`)));
  for (let index = 0; index < attempts.length; index += 1) {
    for (let sent = 0; sent < 1_000; sent += 100) attempts[index]?.progress(sent);
    attempts[index]?.done();
  }
  expect(new Set(states())).toEqual(new Set(['done']));
  expect(notify.mock.calls.length).toBeLessThan(1_100);
});
