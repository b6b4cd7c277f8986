/**
 * What changes elsewhere, told by the server: one connection for the whole tab (docs/decisions/032-one-live-connection-per-tab.md),
 * opened when somebody listens and closed when nobody does, the page is left, or the tab has been out of sight for a while. Read with
 * `fetch`, since EventSource sends no token.
 */
import { watchChanges } from '@vestibule/contract/events';
import { useEffect, useEffectEvent } from 'react';
import { CallFailure } from '../language/call-failure.ts';
import { openStream } from './call.ts';
import { whenLeft, whenRestored } from './page-return.ts';

/** Milliseconds. */
const times = {
  /** A change is rarely alone: those of a moment are told together. */
  gather: 400,
  firstPause: 1_000,
  longestPause: 60_000,
  /** The server says something every 20 seconds. */
  silence: 50_000,
  hidden: 60_000,
};

type Listener = {
  areas: readonly string[];
  tell: () => void;
};

/** Opens the stream of events. */
type OpenEvents = (signal: AbortSignal) => Promise<Response>;

/** The connection of one tab. */
export class ChangeFeed {
  readonly #open: OpenEvents;
  readonly #listeners = new Set<Listener>();
  readonly #changed = new Set<string>();
  #connection: AbortController | null = null;
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #hiding: ReturnType<typeof setTimeout> | undefined;
  #missed = false;
  #left = false;

  constructor(open: OpenEvents) {
    this.#open = open;
  }

  /** Calls `tell` soon after something of these areas has changed; the answer stops that. */
  listen(areas: readonly string[], tell: () => void): () => void {
    const listener = { areas, tell };
    this.#listeners.add(listener);
    this.#connect();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#disconnect();
    };
  }

  /** The tab went out of sight or came back. */
  setHidden(hidden: boolean): void {
    clearTimeout(this.#hiding);
    if (hidden) this.#hiding = setTimeout(() => this.#letGo(), times.hidden);
    else this.#connect();
  }

  /** The page is left. The browser may keep it, but not its connection; until `comeBack` there is no other. */
  leave(): void {
    this.#left = true;
    this.#letGo();
  }

  comeBack(): void {
    this.#left = false;
    this.#connect();
  }

  /** Whatever happens from now on is told with the next connection. */
  #letGo(): void {
    clearTimeout(this.#hiding);
    this.#missed = true;
    this.#disconnect();
  }

  #connect(): void {
    if (this.#connection || this.#left || this.#listeners.size === 0) return;
    this.#connection = new AbortController();
    void this.#run(this.#connection.signal);
  }

  #disconnect(): void {
    this.#connection?.abort();
    this.#connection = null;
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#changed.clear();
  }

  async #run(signal: AbortSignal): Promise<void> {
    let pause = times.firstPause;
    while (!signal.aborted) {
      let wait: number | undefined;
      try {
        const before = performance.now();
        wait = await this.#follow(signal);
        // An end after a good while is the server's own; one at once is trouble.
        if (performance.now() - before > times.silence) pause = times.firstPause;
      } catch (error) {
        if (isFinal(error)) return;
        wait =
          error instanceof CallFailure ? error.retryAt && error.retryAt.getTime() - Date.now() : undefined;
      }
      this.#missed = true;
      await sleep(wait ?? pause * (0.5 + Math.random()), signal);
      pause = Math.min(pause * 2, times.longestPause);
    }
  }

  /** One connection, until it ends; after how many milliseconds to try again, if the server says so. Throws when it fails. */
  async #follow(signal: AbortSignal): Promise<number | undefined> {
    const stop = new AbortController();
    const stops = AbortSignal.any([signal, stop.signal]);
    let silence = setTimeout(() => stop.abort(), times.silence);
    try {
      const { body } = await this.#open(stops);
      if (!body) return undefined;
      let wait: number | undefined;
      if (this.#missed) {
        this.#missed = false;
        this.note([...this.#listeners].flatMap(({ areas }) => areas));
      }
      let rest = '';
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return wait;
        clearTimeout(silence);
        silence = setTimeout(() => stop.abort(), times.silence);
        const lines = (rest + value).split(/\r\n|\n|\r/);
        rest = lines.pop() ?? '';
        for (const line of lines) {
          wait = retryOf(line) ?? wait;
          this.note(areasOf(line));
        }
      }
    } finally {
      clearTimeout(silence);
    }
  }

  /** Tells those who listen for these areas, soon. */
  note(areas: readonly string[]): void {
    for (const area of areas) this.#changed.add(area);
    if (this.#changed.size === 0) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      const changed = new Set(this.#changed);
      this.#changed.clear();
      for (const { areas: wanted, tell } of this.#listeners)
        if (wanted.some((area) => changed.has(area))) tell();
    }, times.gather);
  }
}

/** The areas that a line of the stream names; comments and other fields name none. */
export function areasOf(line: string): string[] {
  if (!line.startsWith('data:')) return [];
  try {
    const { areas } = JSON.parse(line.slice('data:'.length)) as { areas?: unknown };
    return Array.isArray(areas) ? areas.filter((area) => typeof area === 'string') : [];
  } catch {
    return [];
  }
}

/** The pause before the next connection that a line of the stream asks for, in milliseconds. */
function retryOf(line: string): number | undefined {
  const [, digits] = /^retry: ?(\d+)$/.exec(line) ?? [];
  return digits === undefined ? undefined : Math.min(Number(digits), times.longestPause);
}

/** Who may not follow changes does not ask again. */
function isFinal(error: unknown): boolean {
  return error instanceof CallFailure && (error.status === 403 || error.status === 404);
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

const feed = new ChangeFeed((signal) => openStream(watchChanges, { accept: 'text/event-stream', signal }));

if (typeof document !== 'undefined')
  document.addEventListener('visibilitychange', () => feed.setHidden(document.hidden));
whenLeft(() => feed.leave());
whenRestored(() => feed.comeBack());

/** Calls `listener` soon after something of these areas has changed elsewhere; the answer stops that. */
export function followChanges(areas: readonly string[], listener: () => void): () => void {
  return feed.listen(areas, listener);
}

/** The same for a component, as long as it is on the screen. */
export function useChanges(area: string, callback: () => void): void {
  const latest = useEffectEvent(callback);
  useEffect(() => followChanges([area], () => latest()), [area]);
}

/** Tells what this page itself has changed in another place than the one that shows it. */
export function announceChange(area: string): void {
  feed.note([area]);
}
