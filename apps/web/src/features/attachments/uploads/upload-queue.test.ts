import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { StartTransfer, TransferFailure } from './transfer.ts';
import { fingerprintOf, UploadQueue, type StoredUpload } from './upload-queue.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A file of any size without contents. */
function fileOf(name: string, size = 1_000): File {
  const file = new File([], name, { lastModified: 1_700_000_000_000 });
  Object.defineProperty(file, 'size', { value: size });
  return file;
}

type Attempt = { file: File; from: string | null; stopped: boolean } & Parameters<StartTransfer>[1];

/** A queue whose transfers the test controls. */
function createQueue(stored: StoredUpload[] = []) {
  const attempts: Attempt[] = [];
  const ended: string[] = [];
  const onFinished: string[] = [];
  const storage = new Map(stored.map((upload) => [upload.fingerprint, upload]));
  const queue = new UploadQueue({
    start: ({ file, url }, notify) => {
      const attempt = { file, from: url, stopped: false, ...notify };
      attempts.push(attempt);
      return { stop: () => (attempt.stopped = true) };
    },
    end: async (url) => void ended.push(url),
    onFinished: (file, url) => void onFinished.push(`${file.name} at ${url}`),
    storage: {
      find: (fingerprint) => storage.get(fingerprint),
      save: (upload) => storage.set(upload.fingerprint, upload),
      remove: (fingerprint) => storage.delete(fingerprint),
    },
  });
  const attempt = (index: number) => {
    const found = attempts.at(index);
    if (!found) throw new Error(`There is no attempt ${index}.`);
    return found;
  };
  const states = () => queue.progress().uploads.map(({ state }) => state);
  return { queue, attempts, attempt, ended, onFinished, storage, states };
}

const lost: TransferFailure = { kind: 'lost', message: 'The server could not be reached.' };
const refused: TransferFailure = { kind: 'refused', message: 'There is no room left.' };

describe('UploadQueue', () => {
  test('onFinished is called once per completed file, not for failed or canceled ones', () => {
    const { queue, attempt, onFinished } = createQueue();
    queue.add(['a', 'b', 'c'].map((name) => fileOf(name)));
    for (const index of [0, 1, 2]) attempt(index).url(`/uploads/${index}`);
    attempt(0).done();
    attempt(1).failed(refused);
    queue.cancel(queue.progress().uploads.at(-1)?.id ?? 0);
    attempt(2).done();
    expect(onFinished).toEqual(['a at /uploads/0']);
  });

  test('three uploads run in parallel, and further ones wait (K7)', () => {
    const { queue, attempts, attempt, states } = createQueue();
    queue.add(['a', 'b', 'c', 'd', 'e'].map((name) => fileOf(name)));
    expect(states()).toEqual(['running', 'running', 'running', 'waiting', 'waiting']);
    attempt(1).done();
    expect(states()).toEqual(['running', 'done', 'running', 'running', 'waiting']);
    attempt(0).failed(refused);
    expect(attempts).toHaveLength(5);
    expect(queue.progress()).toMatchObject({ active: 3, done: 1, total: 4_000 });
  });

  test('rate and remaining time are based on the last seconds (K7)', () => {
    const { queue, attempt } = createQueue();
    queue.add([fileOf('a', 100_000)]);
    const upload = attempt(0);
    // Bytes that the server already had do not count.
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

  test('waits exponentially longer before each retry after a lost connection; `wake` retries immediately (K7)', () => {
    const { queue, attempts, attempt, states } = createQueue();
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
    // Progress resets the delay.
    attempt(-1).progress(10);
    attempt(-1).progress(20);
    attempt(-1).failed(lost);
    const before = attempts.length;
    vi.advanceTimersByTime(1_000);
    expect(attempts).toHaveLength(before + 1);
  });

  test('a retry waits until the time that the server requested (K7)', () => {
    const { queue, attempts, attempt } = createQueue();
    queue.add([fileOf('a')]);
    attempt(0).failed({ ...lost, retryAt: Date.now() + 45_000 });
    vi.advanceTimersByTime(44_000);
    expect(attempts).toHaveLength(1);
    vi.advanceTimersByTime(1_500);
    expect(attempts).toHaveLength(2);
  });

  test('a paused upload stops, frees its slot and resumes where it stopped (K7)', () => {
    const { queue, attempt, states } = createQueue();
    queue.add(['a', 'b', 'c', 'd'].map((name) => fileOf(name)));
    attempt(0).url('/uploads/1');
    queue.pause(1);
    expect(attempt(0).stopped).toBe(true);
    expect(states()).toEqual(['paused', 'running', 'running', 'running']);
    // Callbacks of a stopped attempt are ignored.
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

  test('a canceled upload is removed locally and on the server, a completed one only from the list (K7)', () => {
    const { queue, attempt, ended, storage } = createQueue();
    queue.add([fileOf('a'), fileOf('b')]);
    attempt(0).url('/uploads/1');
    attempt(1).url('/uploads/2');
    queue.cancel(1);
    expect(ended).toEqual(['/uploads/1']);
    expect(storage.size).toBe(1);
    attempt(1).done();
    queue.cancel(2);
    expect(ended).toEqual(['/uploads/1']);
    expect(queue.progress().uploads).toEqual([]);
    expect(storage.size).toBe(0);
  });

  test('a refused upload shows the error and can be retried (K7)', () => {
    const { queue, attempt } = createQueue();
    queue.add([fileOf('a')]);
    attempt(0).failed(refused);
    expect(queue.progress().uploads[0]).toMatchObject({ state: 'failed', problem: refused });
    vi.advanceTimersByTime(600_000);
    expect(queue.progress().uploads[0]).toMatchObject({ state: 'failed' });
    queue.resume(1);
    expect(queue.progress().uploads[0]).toMatchObject({ state: 'running', problem: undefined });
  });

  test('choosing a failed file again resumes the upload with the new file (K7)', () => {
    const { queue, attempt, states } = createQueue();
    queue.add([fileOf('a')]);
    attempt(0).url('/uploads/1');
    attempt(0).failed(refused);
    const again = fileOf('a');
    queue.add([again]);
    expect(states()).toEqual(['running']);
    expect(attempt(1).from).toBe('/uploads/1');
    expect(attempt(1).file).toBe(again);
  });

  test('after a reload, the same file resumes and a different file of the same name does not (K7)', () => {
    const before = createQueue();
    before.queue.add([fileOf('film.mp4', 5_000)]);
    before.attempt(0).url('/uploads/1');
    before.attempt(0).progress(2_000);
    vi.advanceTimersByTime(200);
    const stored = [...before.storage.values()];
    expect(stored).toMatchObject([{ name: 'film.mp4', size: 5_000, sent: 2_000, url: '/uploads/1' }]);

    const after = createQueue(stored);
    after.queue.add([fileOf('film.mp4', 5_001), fileOf('film.mp4', 5_000)]);
    expect(after.attempt(0).from).toBeNull();
    expect(after.attempt(1).from).toBe('/uploads/1');
    after.attempt(1).done();
    expect(after.storage.size).toBe(0);
  });

  test('an upload that no longer exists on the server restarts once (K7)', () => {
    const gone: TransferFailure = { kind: 'gone', message: 'There is no such upload.' };
    const file = fileOf('a');
    const { queue, attempts, attempt } = createQueue([
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

  test('a file is not added twice while it is uploading (K7)', () => {
    const { queue, attempts, attempt } = createQueue();
    queue.add([fileOf('a'), fileOf('a')]);
    expect(attempts).toHaveLength(1);
    attempt(0).done();
    queue.add([fileOf('a')]);
    expect(attempts).toHaveLength(2);
  });

  test('a thousand small files complete, and listeners are throttled (K7)', () => {
    const { queue, attempts, states } = createQueue();
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
});
