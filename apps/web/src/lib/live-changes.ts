/** Live change notifications (docs/decisions/032-one-live-connection-per-tab.md). EventSource cannot send a token, so `fetch` is used. */
import { watchChanges } from '@vestibule/contract/events';
import { useEffect, useEffectEvent } from 'react';
import { CallFailure } from '../language/call-failure.ts';
import { openStream } from './call.ts';
import { whenLeft, whenRestored } from './page-return.ts';

/** In milliseconds. */
const timings = {
  /** Changes within this time are announced together. */
  batch: 400,
  firstRetryDelay: 1_000,
  maximumRetryDelay: 60_000,
  /** The connection counts as lost after this time without data. The server writes every 20 seconds. */
  silence: 50_000,
  hidden: 60_000,
};

type OpenEventStream = (signal: AbortSignal) => Promise<Response>;

export class ChangeFeed {
  readonly #open: OpenEventStream;
  readonly #listeners = new Set<{ areas: readonly string[]; onChange: () => void }>();
  readonly #changed = new Set<string>();
  #connection: AbortController | null = null;
  #batchTimer: ReturnType<typeof setTimeout> | undefined;
  #hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  #hasMissedChanges = false;
  #isPaused = false;

  constructor(open: OpenEventStream) {
    this.#open = open;
  }

  /** Calls `onChange` soon after a change in these areas. Returns a function that removes the listener. */
  listen(areas: readonly string[], onChange: () => void): () => void {
    const listener = { areas, onChange };
    this.#listeners.add(listener);
    this.#connect();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#disconnect();
    };
  }

  setHidden(hidden: boolean): void {
    clearTimeout(this.#hiddenTimer);
    if (hidden) this.#hiddenTimer = setTimeout(() => this.#suspend(), timings.hidden);
    else this.#connect();
  }

  /** Closes the connection until `resume` is called. For a page that is left, but may be kept in the back/forward cache. */
  pause(): void {
    this.#isPaused = true;
    this.#suspend();
  }

  resume(): void {
    this.#isPaused = false;
    this.#connect();
  }

  /** Closes the connection. Changes that are missed from now on are announced after the next connection. */
  #suspend(): void {
    clearTimeout(this.#hiddenTimer);
    this.#hasMissedChanges = true;
    this.#disconnect();
  }

  #connect(): void {
    if (this.#connection || this.#isPaused || this.#listeners.size === 0) return;
    this.#connection = new AbortController();
    void this.#run(this.#connection.signal);
  }

  #disconnect(): void {
    this.#connection?.abort();
    this.#connection = null;
    clearTimeout(this.#batchTimer);
    this.#batchTimer = undefined;
    this.#changed.clear();
  }

  async #run(signal: AbortSignal): Promise<void> {
    let retryDelay = timings.firstRetryDelay;
    while (!signal.aborted) {
      let requestedDelay: number | undefined;
      try {
        const startedAt = performance.now();
        requestedDelay = await this.#follow(signal);
        // A connection that ends early counts as a failure, so the retry delay is not reset.
        if (performance.now() - startedAt > timings.silence) retryDelay = timings.firstRetryDelay;
      } catch (error) {
        if (isFinal(error)) return;
        requestedDelay =
          error instanceof CallFailure ? error.retryAt && error.retryAt.getTime() - Date.now() : undefined;
      }
      this.#hasMissedChanges = true;
      await sleep(requestedDelay ?? retryDelay * (0.5 + Math.random()), signal);
      retryDelay = Math.min(retryDelay * 2, timings.maximumRetryDelay);
    }
  }

  /** Reads one connection until it ends. Returns the retry delay requested by the server, in milliseconds. Throws if it fails. */
  async #follow(signal: AbortSignal): Promise<number | undefined> {
    const silent = new AbortController();
    const anySignal = AbortSignal.any([signal, silent.signal]);
    let silenceTimer = setTimeout(() => {
      silent.abort();
      // Some proxies withhold the stream: without a response, no connection announces changes. If the network hangs instead, `me` would
      // replace the screen by an error.
      this.announce(this.#listenedAreas().filter((area) => area !== 'me'));
    }, timings.silence);
    try {
      const { body } = await this.#open(anySignal);
      if (!body) return undefined;
      let requestedDelay: number | undefined;
      if (this.#hasMissedChanges) {
        this.#hasMissedChanges = false;
        this.announce(this.#listenedAreas());
      }
      let incompleteLine = '';
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return requestedDelay;
        clearTimeout(silenceTimer);
        silenceTimer = setTimeout(() => silent.abort(), timings.silence);
        const lines = (incompleteLine + value).split(/\r\n|\n|\r/);
        incompleteLine = lines.pop() ?? '';
        for (const line of lines) {
          requestedDelay = parseRetryMilliseconds(line) ?? requestedDelay;
          this.announce(parseAreas(line));
        }
      }
    } finally {
      clearTimeout(silenceTimer);
    }
  }

  #listenedAreas(): string[] {
    return [...this.#listeners].flatMap(({ areas }) => areas);
  }

  /** Notifies the listeners of these areas soon. */
  announce(areas: readonly string[]): void {
    for (const area of areas) this.#changed.add(area);
    if (this.#changed.size === 0) return;
    this.#batchTimer ??= setTimeout(() => {
      this.#batchTimer = undefined;
      const changed = new Set(this.#changed);
      this.#changed.clear();
      for (const { areas: listenedAreas, onChange } of this.#listeners)
        if (listenedAreas.some((area) => changed.has(area))) onChange();
    }, timings.batch);
  }
}

/** Returns the areas named in a line of the stream. */
export function parseAreas(line: string): string[] {
  if (!line.startsWith('data:')) return [];
  try {
    const { areas } = JSON.parse(line.slice('data:'.length)) as { areas?: unknown };
    return Array.isArray(areas) ? areas.filter((area) => typeof area === 'string') : [];
  } catch {
    return [];
  }
}

/** Returns the reconnection delay in a line of the stream, in milliseconds. */
function parseRetryMilliseconds(line: string): number | undefined {
  const [, digits] = /^retry: ?(\d+)$/.exec(line) ?? [];
  return digits === undefined ? undefined : Math.min(Number(digits), timings.maximumRetryDelay);
}

/** Returns whether retrying is useless, because the user has no access to changes. */
const isFinal = (error: unknown): boolean =>
  error instanceof CallFailure && (error.status === 403 || error.status === 404);

const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve();
    };
    const timer = setTimeout(stop, milliseconds);
    signal.addEventListener('abort', stop);
  });

const feed = new ChangeFeed((signal) => openStream(watchChanges, { accept: 'text/event-stream', signal }));

if (typeof document !== 'undefined')
  document.addEventListener('visibilitychange', () => feed.setHidden(document.hidden));
whenLeft(() => feed.pause());
whenRestored(() => feed.resume());

/** Calls `listener` soon after another tab or user has changed these areas. Returns a function that removes the listener. */
export const followChanges = (areas: readonly string[], listener: () => void): (() => void) =>
  feed.listen(areas, listener);

/** Calls `callback` after changes while the component is mounted. */
export function useChanges(area: string, callback: () => void): void {
  const latest = useEffectEvent(callback);
  useEffect(() => followChanges([area], () => latest()), [area]);
}
