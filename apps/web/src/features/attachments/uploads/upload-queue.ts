/** Upload queue of this tab with pause, resume, cancel and retries. Independent of the protocol: see tus-transfer.ts. */
import { Listeners } from '../../../ui/listeners.ts';

/** Number of parallel uploads. */
const parallelUploads = 3;
/** First and maximum delay between retries, in milliseconds. */
const firstRetryMs = 1_000;
const maximumRetryMs = 30_000;
/** Minimum time between progress updates, in milliseconds. */
const updateIntervalMs = 200;
/** Period of the average rate, and minimum period before a rate is reported, in milliseconds. */
const rateWindowMs = 5_000;
const rateMinimumMs = 800;

export type TransferFailure = {
  /** `lost`: the transfer is retried. `refused`: the transfer fails until the user acts. */
  kind: 'lost' | 'refused';
  message: string;
  /** Reference id of the server's log entry. */
  reference?: string | undefined;
  /** Time of the next retry requested by the server, in milliseconds since 1970. */
  retryAt?: number | undefined;
  /** The upload fails again whenever it is retried. */
  isFinal?: boolean;
};

/** Transfers a file once, starting after the bytes that the server has received. Resolves with null if it is complete. */
export type Transfer = (
  file: File,
  /** Id of the upload to resume; null for a new one. */
  uploadId: string | null,
  options: {
    signal: AbortSignal;
    onUploadId: (uploadId: string) => void;
    onProgress: (sent: number) => void;
  },
) => Promise<TransferFailure | null>;

/** Ids of interrupted uploads by fingerprint, stored across reloads. */
type UploadStorage = {
  find: (fingerprint: string) => string | undefined;
  save: (fingerprint: string, uploadId: string) => void;
  remove: (fingerprint: string) => void;
};

/** Identifies a file as far as browsers allow: they do not reveal its path. */
const fingerprintOf = ({ name, size, lastModified }: File): string => `${size}/${lastModified}/${name}`;

type UploadState = 'waiting' | 'running' | 'paused' | 'lost' | 'failed' | 'done';

type Task = {
  readonly id: number;
  readonly file: File;
  readonly fingerprint: string;
  state: UploadState;
  /** Bytes sent. */
  sent: number;
  uploadId: string | null;
  /** Error, or the reason for waiting. */
  problem: TransferFailure | undefined;
  retryMs: number;
  /** Ends the running attempt, or the wait for the next one. */
  stop: () => void;
};

export type Upload = Readonly<Pick<Task, 'id' | 'state' | 'sent' | 'problem'>> & {
  readonly name: string;
  readonly size: number;
};

export type UploadProgress = {
  readonly uploads: readonly Upload[];
  /** Number of uploads that would be interrupted if the user left the page. */
  readonly active: number;
  readonly done: number;
  /** `sent` and `total` are bytes of all uploads except failed ones. */
  readonly sent: number;
  readonly total: number;
  /** Null if not known yet. */
  readonly bytesPerSecond: number | null;
  readonly secondsLeft: number | null;
};

export const isActive = ({ state }: { state: UploadState }): boolean =>
  state === 'waiting' || state === 'running' || state === 'lost';

type QueueParts = {
  transfer: Transfer;
  /** Deletes an upload on the server. */
  discard: (uploadId: string) => Promise<void>;
  storage: UploadStorage;
  /** Called for each completed upload. */
  onFinished?: (file: File, uploadId: string) => void;
};

export class UploadQueue {
  readonly #parts: QueueParts;
  readonly #listeners = new Listeners();
  #tasks: Task[] = [];
  #lastId = 0;
  /** Recently transferred bytes. */
  #samples: { at: number; bytes: number }[] = [];
  #progress = this.#computeProgress();
  #updateTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  /** Returns the same object until something has changed. */
  readonly progress = (): UploadProgress => this.#progress;

  readonly watch = this.#listeners.watch;

  /** Adds the files that are not in the queue yet. Resumes interrupted uploads of the files and retries failed ones. */
  add(files: readonly File[]): void {
    for (const file of files) {
      const fingerprint = fingerprintOf(file);
      const known = this.#tasks.find((task) => task.fingerprint === fingerprint && task.state !== 'done');
      if (known && known.state !== 'failed') continue;
      // Replaces the task, because its old file object may no longer be readable.
      this.#tasks = this.#tasks.filter((task) => task !== known);
      this.#lastId += 1;
      this.#tasks.push({
        id: this.#lastId,
        file,
        fingerprint,
        state: 'waiting',
        sent: 0,
        uploadId: this.#parts.storage.find(fingerprint) ?? null,
        problem: undefined,
        retryMs: firstRetryMs,
        stop() {},
      });
    }
    this.#startWaiting();
  }

  pause(ids: readonly number[]): void {
    for (const task of this.#find(ids)) if (isActive(task)) this.#stop(task, 'paused');
    this.#startWaiting();
  }

  /** Resumes or retries uploads. */
  resume(ids: readonly number[]): void {
    for (const task of this.#find(ids))
      if (task.state === 'paused' || task.state === 'lost' || task.state === 'failed')
        this.#stop(task, 'waiting');
    this.#startWaiting();
  }

  /** Retries lost uploads immediately. Called when the connection is back. */
  wake(): void {
    this.resume(this.#tasks.filter(({ state }) => state === 'lost').map(({ id }) => id));
  }

  /** Stops uploads and deletes them on the server. Completed ones are only removed from the list. */
  cancel(ids: readonly number[]): void {
    for (const task of this.#find(ids)) {
      task.stop();
      if (task.state === 'done') continue;
      this.#parts.storage.remove(task.fingerprint);
      // If this fails, the server deletes the upload when it expires.
      if (task.uploadId !== null) this.#parts.discard(task.uploadId).catch(() => {});
    }
    this.#tasks = this.#tasks.filter(({ id }) => !ids.includes(id));
    this.#startWaiting();
  }

  #find(ids: readonly number[]): Task[] {
    return this.#tasks.filter(({ id }) => ids.includes(id));
  }

  #stop(task: Task, state: 'paused' | 'waiting'): void {
    task.stop();
    task.state = state;
    task.problem = undefined;
  }

  #startWaiting(): void {
    const busy = this.#tasks.filter(({ state }) => state === 'running' || state === 'lost').length;
    const waiting = this.#tasks.filter(({ state }) => state === 'waiting');
    for (const task of waiting.slice(0, Math.max(parallelUploads - busy, 0))) void this.#run(task);
    this.#notify();
  }

  async #run(task: Task): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    const { storage } = this.#parts;
    task.stop = () => controller.abort();
    task.state = 'running';
    let reached: number | null = null;
    const failure = await this.#parts.transfer(task.file, task.uploadId, {
      signal,
      onUploadId: (uploadId) => {
        task.uploadId = uploadId;
        storage.save(task.fingerprint, uploadId);
      },
      onProgress: (sent) => {
        // The first event of an attempt reports the bytes that the server already has.
        if (reached !== null && sent > reached) {
          this.#samples.push({ at: performance.now(), bytes: sent - reached });
          task.retryMs = firstRetryMs;
        }
        reached = sent;
        task.sent = sent;
        task.problem = undefined;
        this.#updateTimer ??= setTimeout(() => this.#notify(), updateIntervalMs);
      },
    });
    if (signal.aborted) return;
    task.problem = failure ?? undefined;
    task.state = failure === null ? 'done' : failure.kind === 'lost' ? 'lost' : 'failed';
    if (failure === null) {
      task.sent = task.file.size;
      storage.remove(task.fingerprint);
      if (task.uploadId !== null) this.#parts.onFinished?.(task.file, task.uploadId);
    } else if (failure.kind === 'lost') {
      const delay = failure.retryAt === undefined ? task.retryMs : Math.max(failure.retryAt - Date.now(), 0);
      task.retryMs = Math.min(task.retryMs * 2, maximumRetryMs);
      const timer = setTimeout(() => this.resume([task.id]), delay);
      task.stop = () => clearTimeout(timer);
    }
    this.#startWaiting();
  }

  #notify(): void {
    clearTimeout(this.#updateTimer);
    this.#updateTimer = undefined;
    for (const { state, uploadId, fingerprint } of this.#tasks)
      if (state === 'running' && uploadId !== null) this.#parts.storage.save(fingerprint, uploadId);
    this.#progress = this.#computeProgress();
    this.#listeners.notify();
  }

  #computeProgress(): UploadProgress {
    const uploads = this.#tasks.map(({ id, file: { name, size }, state, sent, problem }) => ({
      id,
      name,
      size,
      state,
      sent: Math.min(sent, size),
      problem,
    }));
    const counted = uploads.filter(({ state }) => state !== 'failed');
    const total = sum(counted.map(({ size }) => size));
    const sent = sum(counted.map((upload) => upload.sent));
    const bytesPerSecond = this.#measureRate();
    return {
      uploads,
      active: uploads.filter(isActive).length,
      done: uploads.filter(({ state }) => state === 'done').length,
      sent,
      total,
      bytesPerSecond,
      secondsLeft: bytesPerSecond ? (total - sent) / bytesPerSecond : null,
    };
  }

  #measureRate(): number | null {
    const now = performance.now();
    this.#samples = this.#samples.filter(({ at }) => at > now - rateWindowMs);
    const [first, ...rest] = this.#samples;
    if (!first || now - first.at < rateMinimumMs) return null;
    return (sum(rest.map(({ bytes }) => bytes)) / (now - first.at)) * 1000;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
