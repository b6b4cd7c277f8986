/** Upload queue of this tab with pause, resume, cancel and retries. Independent of the protocol: see tus-transfer.ts. */
import { Listeners } from '../../../ui/listeners.ts';
import { TransferRate } from './transfer-rate.ts';
import type { EndTransfer, StartTransfer, TransferFailure } from './transfer.ts';
import { isActive, noUploads, progressOf, type UploadProgress, type UploadState } from './upload-progress.ts';

/** Number of parallel uploads. */
const parallelUploads = 3;
/** First and maximum delay between retries, in milliseconds. */
const firstRetryMs = 1_000;
const maximumRetryMs = 30_000;
/** Minimum time between progress updates, in milliseconds. */
const updateIntervalMs = 200;

/** State of an upload that can be resumed after a reload. */
export type StoredUpload = {
  fingerprint: string;
  name: string;
  size: number;
  sent: number;
  url: string;
};

/** Storage of interrupted uploads. */
export type UploadStorage = {
  find: (fingerprint: string) => StoredUpload | undefined;
  save: (upload: StoredUpload) => void;
  remove: (fingerprint: string) => void;
};

/** Identifies a file as far as browsers allow: they do not reveal its path. */
export function fingerprintOf({ name, size, lastModified }: File): string {
  return `${size}/${lastModified}/${name}`;
}

type Task = {
  readonly id: number;
  readonly file: File;
  readonly fingerprint: string;
  state: UploadState;
  sent: number;
  url: string | null;
  problem: TransferFailure | undefined;
  retryDelay: number;
  /** Whether the upload was restarted from the beginning because the server no longer had it. */
  restarted: boolean;
  timer?: ReturnType<typeof setTimeout>;
  transfer?: { stop: () => void };
  /** Bytes at the previous progress event of this attempt. */
  base: number | null;
};

export class UploadQueue {
  readonly #start: StartTransfer;
  readonly #end: EndTransfer;
  readonly #storage: UploadStorage;
  readonly #onFinished: ((file: File, url: string) => void) | undefined;
  readonly #listeners = new Listeners();
  readonly #rate = new TransferRate();
  #tasks: Task[] = [];
  #lastId = 0;
  #shown: UploadProgress = noUploads;
  #updateTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: {
    start: StartTransfer;
    end: EndTransfer;
    storage: UploadStorage;
    /** Called for each completed upload. */
    onFinished?: (file: File, url: string) => void;
  }) {
    this.#start = parts.start;
    this.#end = parts.end;
    this.#storage = parts.storage;
    this.#onFinished = parts.onFinished;
  }

  /** Returns the same object until something has changed. */
  readonly progress = (): UploadProgress => this.#shown;

  readonly watch = this.#listeners.watch;

  /** Adds the files that are not in the queue yet. Resumes interrupted uploads of the files and retries failed ones. */
  add(files: readonly File[]): void {
    for (const file of files) {
      const fingerprint = fingerprintOf(file);
      const known = this.#tasks.find((task) => task.fingerprint === fingerprint && task.state !== 'done');
      if (known && known.state !== 'failed') continue;
      // Replaces the task, because its old file object may no longer be readable.
      if (known) this.#tasks.splice(this.#tasks.indexOf(known), 1);
      const stored = this.#storage.find(fingerprint);
      this.#lastId += 1;
      this.#tasks.push({
        id: this.#lastId,
        file,
        fingerprint,
        state: 'waiting',
        sent: stored?.sent ?? 0,
        url: stored?.url ?? null,
        problem: undefined,
        retryDelay: firstRetryMs,
        restarted: false,
        base: null,
      });
    }
    this.#startWaiting();
  }

  pause(id: number): void {
    const task = this.#find(id);
    if (!task || !isActive(task)) return;
    this.#stop(task);
    task.state = 'paused';
    this.#startWaiting();
  }

  /** Resumes or retries an upload. */
  resume(id: number): void {
    const task = this.#find(id);
    if (!task || task.state === 'running' || task.state === 'done') return;
    this.#stop(task);
    task.state = 'waiting';
    task.problem = undefined;
    task.restarted = false;
    this.#startWaiting();
  }

  pauseAll(): void {
    for (const task of this.#tasks)
      if (isActive(task)) {
        this.#stop(task);
        task.state = 'paused';
      }
    this.#startWaiting();
  }

  resumeAll(): void {
    for (const task of this.#tasks)
      if (task.state === 'paused' || task.state === 'lost') {
        this.#stop(task);
        task.state = 'waiting';
      }
    this.#startWaiting();
  }

  /** Stops an upload and deletes it on the server. A completed one is only removed from the list. */
  cancel(id: number): void {
    const task = this.#find(id);
    if (!task) return;
    this.#stop(task);
    this.#tasks = this.#tasks.filter((other) => other !== task);
    if (task.state !== 'done') {
      this.#storage.remove(task.fingerprint);
      // If this fails, the server deletes the upload when it expires.
      if (task.url !== null) this.#end(task.url).catch(() => {});
    }
    this.#startWaiting();
  }

  /** Retries lost uploads immediately. Called when the connection is back. */
  wake(): void {
    for (const task of this.#tasks) if (task.state === 'lost') this.#run(task);
    this.#notify();
  }

  #find(id: number): Task | undefined {
    return this.#tasks.find((task) => task.id === id);
  }

  #stop(task: Task): void {
    clearTimeout(task.timer);
    task.transfer?.stop();
    delete task.transfer;
  }

  #startWaiting(): void {
    let free =
      parallelUploads - this.#tasks.filter(({ state }) => state === 'running' || state === 'lost').length;
    for (const task of this.#tasks) {
      if (free <= 0) break;
      if (task.state !== 'waiting') continue;
      this.#run(task);
      free -= 1;
    }
    this.#notify();
  }

  #run(task: Task): void {
    this.#stop(task);
    task.state = 'running';
    task.base = null;
    const { file, url } = task;
    // Callbacks of a stopped attempt are ignored.
    let isStopped = false;
    const unlessStopped =
      <Arguments extends unknown[]>(callback: (...args: Arguments) => void) =>
      (...args: Arguments) => {
        if (!isStopped) callback(...args);
      };
    const transfer = this.#start(
      { file, url },
      {
        url: unlessStopped((found: string) => this.#onUrl(task, found)),
        progress: unlessStopped((sent: number) => this.#onProgress(task, sent)),
        done: unlessStopped(() => this.#onDone(task)),
        failed: unlessStopped((failure: TransferFailure) => this.#onFailure(task, failure)),
      },
    );
    task.transfer = {
      stop: () => {
        isStopped = true;
        transfer.stop();
      },
    };
  }

  #onUrl(task: Task, url: string): void {
    task.url = url;
    this.#save(task);
  }

  #onProgress(task: Task, sent: number): void {
    // The first progress event of an attempt reports the starting offset, so its bytes are not counted for the rate.
    if (task.base !== null && sent > task.base) {
      this.#rate.record(sent - task.base);
      task.retryDelay = firstRetryMs;
    }
    task.base = sent;
    task.sent = sent;
    task.problem = undefined;
    this.#updateSoon();
  }

  #onDone(task: Task): void {
    delete task.transfer;
    task.state = 'done';
    task.sent = task.file.size;
    this.#storage.remove(task.fingerprint);
    if (task.url !== null) this.#onFinished?.(task.file, task.url);
    this.#startWaiting();
  }

  #onFailure(task: Task, failure: TransferFailure): void {
    delete task.transfer;
    if (failure.kind === 'gone' && task.url !== null && !task.restarted) {
      // The upload has expired: restart it once.
      task.restarted = true;
      task.url = null;
      task.sent = 0;
      this.#storage.remove(task.fingerprint);
      this.#run(task);
      this.#notify();
      return;
    }
    task.problem = failure;
    if (failure.kind !== 'lost') {
      task.state = 'failed';
      this.#startWaiting();
      return;
    }
    task.state = 'lost';
    this.#save(task);
    const wait = failure.retryAt === undefined ? task.retryDelay : Math.max(failure.retryAt - Date.now(), 0);
    task.timer = setTimeout(() => {
      this.#run(task);
      this.#notify();
    }, wait);
    task.retryDelay = Math.min(task.retryDelay * 2, maximumRetryMs);
    this.#notify();
  }

  #save({ fingerprint, file, url, sent }: Task): void {
    if (url !== null) this.#storage.save({ fingerprint, name: file.name, size: file.size, sent, url });
  }

  #updateSoon(): void {
    this.#updateTimer ??= setTimeout(() => {
      for (const task of this.#tasks) if (task.state === 'running') this.#save(task);
      this.#notify();
    }, updateIntervalMs);
  }

  #notify(): void {
    clearTimeout(this.#updateTimer);
    this.#updateTimer = undefined;
    if (!this.#tasks.some(({ state }) => state === 'running')) this.#rate.reset();
    this.#shown = progressOf(this.#tasks, this.#rate.bytesPerSecond());
    this.#listeners.notify();
  }
}
