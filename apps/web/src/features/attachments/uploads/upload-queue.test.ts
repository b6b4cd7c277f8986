import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { UploadQueue, type Transfer, type TransferFailure } from './upload-queue.ts';

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

type Attempt = Parameters<Transfer>[2] & {
  file: File;
  from: string | null;
  /** Ends the attempt: with null as complete. */
  end: (failure: TransferFailure | null) => Promise<void>;
};

/** A queue whose transfers the test controls. */
function createQueue(stored: [fingerprint: string, uploadId: string][] = []) {
  const attempts: Attempt[] = [];
  const discarded: string[] = [];
  const onFinished: string[] = [];
  const storage = new Map(stored);
  const queue = new UploadQueue({
    transfer: (file, from, options) => {
      const { promise, resolve } = Promise.withResolvers<TransferFailure | null>();
      const end = async (failure: TransferFailure | null) => {
        resolve(failure);
        await promise;
      };
      attempts.push({ file, from, end, ...options });
      return promise;
    },
    discard: async (uploadId) => void discarded.push(uploadId),
    onFinished: (file, uploadId) => void onFinished.push(`${file.name} as ${uploadId}`),
    storage: {
      find: (fingerprint) => storage.get(fingerprint),
      save: (fingerprint, uploadId) => storage.set(fingerprint, uploadId),
      remove: (fingerprint) => storage.delete(fingerprint),
    },
  });
  const attempt = (index: number) => {
    const found = attempts.at(index);
    if (!found) throw new Error(`There is no attempt ${index}.`);
    return found;
  };
  const states = () => queue.progress().uploads.map(({ state }) => state);
  const ids = () => queue.progress().uploads.map(({ id }) => id);
  return { queue, attempts, attempt, discarded, onFinished, storage, states, ids };
}

const lost: TransferFailure = { kind: 'lost', message: 'The server could not be reached.' };
const refused: TransferFailure = { kind: 'refused', message: 'There is no room left.' };

describe('UploadQueue', () => {
  test('onFinished is called once per completed file, not for failed or canceled ones', async () => {
    const { queue, attempt, onFinished, ids } = createQueue();
    queue.add(['a', 'b', 'c'].map((name) => fileOf(name)));
    for (const index of [0, 1, 2]) attempt(index).onUploadId(`${index}`);
    await attempt(0).end(null);
    await attempt(1).end(refused);
    queue.cancel(ids().slice(-1));
    await attempt(2).end(null);
    expect(onFinished).toEqual(['a as 0']);
  });

  test('three uploads run in parallel, and further ones wait (K7)', async () => {
    const { queue, attempts, attempt, states } = createQueue();
    queue.add(['a', 'b', 'c', 'd', 'e'].map((name) => fileOf(name)));
    expect(states()).toEqual(['running', 'running', 'running', 'waiting', 'waiting']);
    await attempt(1).end(null);
    expect(states()).toEqual(['running', 'done', 'running', 'running', 'waiting']);
    await attempt(0).end(refused);
    expect(attempts).toHaveLength(5);
    expect(queue.progress()).toMatchObject({ active: 3, done: 1, total: 4_000 });
  });

  test('rate and remaining time are based on the last seconds (K7)', async () => {
    const { queue, attempt } = createQueue();
    queue.add([fileOf('a', 100_000)]);
    const upload = attempt(0);
    // Bytes that the server already had do not count.
    upload.onProgress(20_000);
    expect(queue.progress().bytesPerSecond).toBeNull();
    for (let sent = 30_000; sent <= 60_000; sent += 10_000) {
      vi.advanceTimersByTime(1_000);
      upload.onProgress(sent);
    }
    vi.advanceTimersByTime(200);
    const { sent, bytesPerSecond, secondsLeft } = queue.progress();
    expect(sent).toBe(60_000);
    expect(bytesPerSecond).toBeGreaterThan(8_000);
    expect(bytesPerSecond).toBeLessThan(14_000);
    expect(secondsLeft).toBeGreaterThan(2.5);
    expect(secondsLeft).toBeLessThan(5.5);
  });

  test('waits exponentially longer before each retry after a lost connection; `wake` retries immediately (K7)', async () => {
    const { queue, attempts, attempt, states } = createQueue();
    queue.add([fileOf('a')]);
    attempt(0).onUploadId('1');
    const pauses: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      const before = attempts.length;
      await attempt(-1).end(lost);
      expect(states()).toEqual(['lost']);
      let waited = 0;
      for (; attempts.length === before; waited += 500) vi.advanceTimersByTime(500);
      pauses.push(waited);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(attempt(-1).from).toBe('1');
    await attempt(-1).end(lost);
    queue.wake();
    expect(states()).toEqual(['running']);
    // Progress resets the delay.
    attempt(-1).onProgress(10);
    attempt(-1).onProgress(20);
    await attempt(-1).end(lost);
    const before = attempts.length;
    vi.advanceTimersByTime(1_000);
    expect(attempts).toHaveLength(before + 1);
  });

  test('a retry waits until the time that the server requested (K7)', async () => {
    const { queue, attempts, attempt } = createQueue();
    queue.add([fileOf('a')]);
    await attempt(0).end({ ...lost, retryAt: Date.now() + 45_000 });
    vi.advanceTimersByTime(44_000);
    expect(attempts).toHaveLength(1);
    vi.advanceTimersByTime(1_500);
    expect(attempts).toHaveLength(2);
  });

  test('a paused upload stops, frees its slot and resumes where it stopped (K7)', async () => {
    const { queue, attempt, states, ids } = createQueue();
    queue.add(['a', 'b', 'c', 'd'].map((name) => fileOf(name)));
    attempt(0).onUploadId('1');
    queue.pause([1]);
    expect(attempt(0).signal.aborted).toBe(true);
    expect(states()).toEqual(['paused', 'running', 'running', 'running']);
    // The result of a stopped attempt is ignored.
    await attempt(0).end(refused);
    expect(states()[0]).toBe('paused');
    queue.resume([1]);
    expect(states()[0]).toBe('waiting');
    await attempt(1).end(null);
    expect(attempt(-1)).toMatchObject({ from: '1', signal: { aborted: false } });

    queue.pause(ids());
    expect(queue.progress().active).toBe(0);
    queue.resume(ids());
    expect(queue.progress().active).toBe(3);
  });

  test('a canceled upload is removed locally and on the server, a completed one only from the list (K7)', async () => {
    const { queue, attempt, discarded, storage } = createQueue();
    queue.add([fileOf('a'), fileOf('b')]);
    attempt(0).onUploadId('1');
    attempt(1).onUploadId('2');
    queue.cancel([1]);
    expect(discarded).toEqual(['1']);
    expect(storage.size).toBe(1);
    await attempt(1).end(null);
    queue.cancel([2]);
    expect(discarded).toEqual(['1']);
    expect(queue.progress().uploads).toEqual([]);
    expect(storage.size).toBe(0);
  });

  test('a refused upload shows the error and can be retried (K7)', async () => {
    const { queue, attempt } = createQueue();
    queue.add([fileOf('a')]);
    await attempt(0).end(refused);
    expect(queue.progress().uploads[0]).toMatchObject({ state: 'failed', problem: refused });
    vi.advanceTimersByTime(600_000);
    expect(queue.progress().uploads[0]).toMatchObject({ state: 'failed' });
    queue.resume([1]);
    expect(queue.progress().uploads[0]).toMatchObject({ state: 'running', problem: undefined });
  });

  test('choosing a failed file again resumes the upload with the new file (K7)', async () => {
    const { queue, attempt, states } = createQueue();
    queue.add([fileOf('a')]);
    attempt(0).onUploadId('1');
    await attempt(0).end(refused);
    const again = fileOf('a');
    queue.add([again]);
    expect(states()).toEqual(['running']);
    expect(attempt(1).from).toBe('1');
    expect(attempt(1).file).toBe(again);
  });

  test('after a reload, the same file resumes and a different file of the same name does not (K7)', async () => {
    const before = createQueue();
    before.queue.add([fileOf('film.mp4', 5_000)]);
    before.attempt(0).onUploadId('1');

    const after = createQueue([...before.storage]);
    after.queue.add([fileOf('film.mp4', 5_001), fileOf('film.mp4', 5_000)]);
    expect(after.attempt(0).from).toBeNull();
    expect(after.attempt(1).from).toBe('1');
    await after.attempt(1).end(null);
    expect(after.storage.size).toBe(0);
  });

  test('a file is not added twice while it is uploading (K7)', async () => {
    const { queue, attempts, attempt } = createQueue();
    queue.add([fileOf('a'), fileOf('a')]);
    expect(attempts).toHaveLength(1);
    await attempt(0).end(null);
    queue.add([fileOf('a')]);
    expect(attempts).toHaveLength(2);
  });

  test('a thousand small files complete, and listeners are throttled (K7)', async () => {
    const { queue, attempts, states } = createQueue();
    const notify = vi.fn<() => void>();
    queue.watch(notify);
    queue.add(Array.from({ length: 1_000 }, (_, index) => fileOf(`${index}`)));
    for (let index = 0; index < attempts.length; index += 1) {
      for (let sent = 0; sent < 1_000; sent += 100) attempts[index]?.onProgress(sent);
      await attempts[index]?.end(null);
    }
    expect(new Set(states())).toEqual(new Set(['done']));
    expect(notify.mock.calls.length).toBeLessThan(1_100);
  });
});
