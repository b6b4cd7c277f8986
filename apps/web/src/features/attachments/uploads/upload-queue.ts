/**
 * The uploads of this tab: many files, a few at a time, each with its progress; paused, resumed, cancelled, and tried
 * again by itself after a lost connection. Knows no protocol: a `StartTransfer` (tus-transfer.ts) carries one file once,
 * from where it stopped.
 */
import { Listeners } from '../../../ui/listeners.ts';
import { Pace } from './transfer-rate.ts';
import type { EndTransfer, StartTransfer, TransferFailure } from './transfer.ts';
import { isActive, nothing, progressOf, type UploadProgress, type UploadState } from './upload-progress.ts';

/** Files on their way at the same moment. */
const atOnce = 3;
/** Between two attempts over a lost connection, in milliseconds: the first and the longest. */
const firstPause = 1_000;
const longestPause = 30_000;
/** Progress comes many times a second; it is told this often. Milliseconds. */
const tellEvery = 200;

/** An upload that a reload, a crash or a new sign-in has interrupted. */
export type KeptUpload = {
  fingerprint: string;
  name: string;
  size: number;
  sent: number;
  url: string;
};

/** Where interrupted uploads are remembered. */
export type UploadMemory = {
  find: (fingerprint: string) => KeptUpload | undefined;
  keep: (upload: KeptUpload) => void;
  forget: (fingerprint: string) => void;
};

/** The same file again, as far as a browser can tell: it gives no path. */
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
  pause: number;
  /** It has begun anew by itself. */
  renewed: boolean;
  timer?: ReturnType<typeof setTimeout>;
  transfer?: { stop: () => void };
  /** What progress is measured from in this attempt. */
  base: number | null;
};

export class UploadQueue {
  readonly #start: StartTransfer;
  readonly #end: EndTransfer;
  readonly #memory: UploadMemory;
  readonly #arrived: ((file: File, url: string) => void) | undefined;
  readonly #listeners = new Listeners();
  readonly #pace = new Pace();
  #tasks: Task[] = [];
  #lastId = 0;
  #shown: UploadProgress = nothing;
  #telling: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: {
    start: StartTransfer;
    end: EndTransfer;
    memory: UploadMemory;
    /** Hears of every file that is all there. */
    arrived?: (file: File, url: string) => void;
  }) {
    this.#start = parts.start;
    this.#end = parts.end;
    this.#memory = parts.memory;
    this.#arrived = parts.arrived;
  }

  /** How things stand; the same object until something has changed. */
  readonly progress = (): UploadProgress => this.#shown;

  readonly watch = this.#listeners.watch;

  /** Takes files in; one that is on its way already is not taken twice. An interrupted or failed one goes on where it stopped. */
  add(files: readonly File[]): void {
    for (const file of files) {
      const fingerprint = fingerprintOf(file);
      const known = this.#tasks.find((task) => task.fingerprint === fingerprint && task.state !== 'done');
      if (known && known.state !== 'failed') continue;
      // The file that it was given may no longer be readable.
      if (known) this.#tasks.splice(this.#tasks.indexOf(known), 1);
      const kept = this.#memory.find(fingerprint);
      this.#lastId += 1;
      this.#tasks.push({
        id: this.#lastId,
        file,
        fingerprint,
        state: 'waiting',
        sent: kept?.sent ?? 0,
        url: kept?.url ?? null,
        problem: undefined,
        pause: firstPause,
        renewed: false,
        base: null,
      });
    }
    this.#fill();
  }

  pause(id: number): void {
    const task = this.#find(id);
    if (!task || !isActive(task)) return;
    this.#halt(task);
    task.state = 'paused';
    this.#fill();
  }

  /** Also tries a failed one again. */
  resume(id: number): void {
    const task = this.#find(id);
    if (!task || task.state === 'running' || task.state === 'done') return;
    this.#halt(task);
    task.state = 'waiting';
    task.problem = undefined;
    task.renewed = false;
    this.#fill();
  }

  pauseAll(): void {
    for (const task of this.#tasks)
      if (isActive(task)) {
        this.#halt(task);
        task.state = 'paused';
      }
    this.#fill();
  }

  resumeAll(): void {
    for (const task of this.#tasks)
      if (task.state === 'paused' || task.state === 'lost') {
        this.#halt(task);
        task.state = 'waiting';
      }
    this.#fill();
  }

  /** Stops an upload for good; what the server has of it goes. One that is done only leaves the list. */
  cancel(id: number): void {
    const task = this.#find(id);
    if (!task) return;
    this.#halt(task);
    this.#tasks = this.#tasks.filter((one) => one !== task);
    if (task.state !== 'done') {
      this.#memory.forget(task.fingerprint);
      // Where it does not hear of it, the server takes away what nobody goes on with.
      if (task.url !== null) this.#end(task.url).catch(() => {});
    }
    this.#fill();
  }

  /** There is a connection again: the lost ones do not wait any longer. */
  wake(): void {
    for (const task of this.#tasks) if (task.state === 'lost') this.#run(task);
    this.#notify();
  }

  #find(id: number): Task | undefined {
    return this.#tasks.find((task) => task.id === id);
  }

  #halt(task: Task): void {
    clearTimeout(task.timer);
    task.transfer?.stop();
    delete task.transfer;
  }

  #fill(): void {
    let free = atOnce - this.#tasks.filter(({ state }) => state === 'running' || state === 'lost').length;
    for (const task of this.#tasks) {
      if (free <= 0) break;
      if (task.state !== 'waiting') continue;
      this.#run(task);
      free -= 1;
    }
    this.#notify();
  }

  #run(task: Task): void {
    this.#halt(task);
    task.state = 'running';
    task.base = null;
    const { file, url } = task;
    // What a stopped attempt still has to say is about nothing any more.
    let over = false;
    const unlessOver =
      <Words extends unknown[]>(hear: (...words: Words) => void) =>
      (...words: Words) => {
        if (!over) hear(...words);
      };
    const transfer = this.#start(
      { file, url },
      {
        url: unlessOver((found: string) => this.#reached(task, found)),
        progress: unlessOver((sent: number) => this.#moved(task, sent)),
        done: unlessOver(() => this.#finished(task)),
        failed: unlessOver((failure: TransferFailure) => this.#failed(task, failure)),
      },
    );
    task.transfer = {
      stop: () => {
        over = true;
        transfer.stop();
      },
    };
  }

  #reached(task: Task, url: string): void {
    task.url = url;
    this.#keep(task);
  }

  #moved(task: Task, sent: number): void {
    // The first word of an attempt says where it begins, not how fast it goes.
    if (task.base !== null && sent > task.base) {
      this.#pace.note(sent - task.base);
      task.pause = firstPause;
    }
    task.base = sent;
    task.sent = sent;
    task.problem = undefined;
    this.#tellSoon();
  }

  #finished(task: Task): void {
    delete task.transfer;
    task.state = 'done';
    task.sent = task.file.size;
    this.#memory.forget(task.fingerprint);
    if (task.url !== null) this.#arrived?.(task.file, task.url);
    this.#fill();
  }

  #failed(task: Task, failure: TransferFailure): void {
    delete task.transfer;
    if (failure.kind === 'gone' && task.url !== null && !task.renewed) {
      // Nobody went on in time: from the beginning, once.
      task.renewed = true;
      task.url = null;
      task.sent = 0;
      this.#memory.forget(task.fingerprint);
      this.#run(task);
      this.#notify();
      return;
    }
    task.problem = failure;
    if (failure.kind !== 'lost') {
      task.state = 'failed';
      this.#fill();
      return;
    }
    task.state = 'lost';
    this.#keep(task);
    const wait = failure.retryAt === undefined ? task.pause : Math.max(failure.retryAt - Date.now(), 0);
    task.timer = setTimeout(() => {
      this.#run(task);
      this.#notify();
    }, wait);
    task.pause = Math.min(task.pause * 2, longestPause);
    this.#notify();
  }

  #keep({ fingerprint, file, url, sent }: Task): void {
    if (url !== null) this.#memory.keep({ fingerprint, name: file.name, size: file.size, sent, url });
  }

  #tellSoon(): void {
    this.#telling ??= setTimeout(() => {
      for (const task of this.#tasks) if (task.state === 'running') this.#keep(task);
      this.#notify();
    }, tellEvery);
  }

  #notify(): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    if (!this.#tasks.some(({ state }) => state === 'running')) this.#pace.reset();
    this.#shown = progressOf(this.#tasks, this.#pace.bytesPerSecond());
    this.#listeners.notify();
  }
}
