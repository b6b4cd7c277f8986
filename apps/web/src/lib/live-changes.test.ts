import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallFailure } from '../language/call-failure.ts';
import { parseAreas, ChangeFeed } from './live-changes.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A server whose streams the test writes. */
function fakeServer() {
  const streams: { signal: AbortSignal; write: (text: string) => void; end: () => void }[] = [];
  const failures: unknown[] = [];
  let opened = 0;
  const open = async (signal: AbortSignal) => {
    opened += 1;
    const failure = failures.shift();
    if (failure) throw failure;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    signal.addEventListener('abort', () => void writer.abort(signal.reason).catch(() => {}));
    streams.push({
      signal,
      write: (text) => void writer.write(new TextEncoder().encode(text)).catch(() => {}),
      end: () => void writer.close().catch(() => {}),
    });
    return new Response(readable);
  };
  const stream = (index: number) => {
    const found = streams.at(index);
    if (!found) throw new Error(`There is no stream ${index}.`);
    return found;
  };
  return { open, stream, failures, count: () => opened };
}

const settle = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds);

test('one connection serves all listeners, each of which is called once for several changes in its areas (J2)', async () => {
  const server = fakeServer();
  const feed = new ChangeFeed(server.open);
  const [people, invitations] = [vi.fn<() => void>(), vi.fn<() => void>()];
  feed.listen(['people'], people);
  feed.listen(['invitations'], invitations);
  await settle();
  expect(server.count()).toBe(1);
  // Chunks may end anywhere.
  server.stream(0).write(': connected\n\nda');
  server.stream(0).write('ta: {"areas":["people"]}\n\ndata: {"areas":["people","activity"]}\n\n');
  await settle(1_000);
  expect(people).toHaveBeenCalledTimes(1);
  expect(invitations).not.toHaveBeenCalled();
});

test('the connection is closed when the last listener is removed (J2)', async () => {
  const server = fakeServer();
  const feed = new ChangeFeed(server.open);
  const stopFirst = feed.listen(['people'], () => {});
  const stopSecond = feed.listen(['people'], () => {});
  await settle();
  stopFirst();
  expect(server.stream(0).signal.aborted).toBe(false);
  stopSecond();
  expect(server.stream(0).signal.aborted).toBe(true);
  await settle(300_000);
  expect(server.count()).toBe(1);
});

test('a lost connection is restored and missed changes are announced (J2)', async () => {
  const server = fakeServer();
  const feed = new ChangeFeed(server.open);
  const onChange = vi.fn<() => void>();
  feed.listen(['people'], onChange);
  await settle();
  server.stream(0).end();
  await settle(2_000);
  expect(server.count()).toBe(2);
  await settle(1_000);
  expect(onChange).toHaveBeenCalledTimes(1);
});

test('a silent connection is replaced (J2)', async () => {
  const server = fakeServer();
  const feed = new ChangeFeed(server.open);
  feed.listen(['people'], () => {});
  await settle(40_000);
  server.stream(0).write(': still here\n\n');
  await settle(40_000);
  expect(server.count()).toBe(1);
  await settle(60_000);
  expect(server.count()).toBeGreaterThan(1);
});

test('behind a proxy that withholds the stream, changes are announced after each attempt', async () => {
  const opened = vi.fn<(signal: AbortSignal) => Promise<Response>>((signal) => {
    const response = Promise.withResolvers<Response>();
    signal.addEventListener('abort', () => response.reject(signal.reason as Error));
    return response.promise;
  });
  const feed = new ChangeFeed(opened);
  const people = vi.fn<() => void>();
  const stop = feed.listen(['people'], people);
  const me = vi.fn<() => void>();
  const stopMe = feed.listen(['me'], me);
  await settle(49_000);
  expect(people).not.toHaveBeenCalled();
  await settle(2_000);
  expect(people).toHaveBeenCalledTimes(1);
  await settle(60_000);
  expect([people.mock.calls.length, opened.mock.calls.length]).toEqual([2, 3]);
  // A reload of the screen would fail if the network hangs.
  expect(me).not.toHaveBeenCalled();
  stop();
  stopMe();
});

test('failed connections are retried with growing delays, but not after a refusal (J2)', async () => {
  const server = fakeServer();
  const failure = (status: number) => new CallFailure({ code: 'x', message: 'x', requestId: '' }, status);
  server.failures.push(...Array.from({ length: 100 }, () => failure(503)));
  const feed = new ChangeFeed(server.open);
  const stop = feed.listen(['people'], () => {});
  await settle(600_000);
  expect(server.count()).toBeGreaterThan(8);
  expect(server.count()).toBeLessThan(35);
  stop();

  const refused = fakeServer();
  refused.failures.push(failure(403));
  new ChangeFeed(refused.open).listen(['people'], () => {});
  await settle(600_000);
  expect(refused.count()).toBe(1);
});

test('a hidden tab closes its connection after a minute and announces missed changes when it is shown (J2)', async () => {
  const server = fakeServer();
  const feed = new ChangeFeed(server.open);
  const onChange = vi.fn<() => void>();
  feed.listen(['people'], onChange);
  await settle();
  feed.setHidden(true);
  await settle(30_000);
  server.stream(0).write(': still here\n\n');
  feed.setHidden(false);
  await settle(40_000);
  server.stream(0).write(': still here\n\n');
  expect(server.stream(0).signal.aborted).toBe(false);
  feed.setHidden(true);
  await settle(40_000);
  server.stream(0).write(': still here\n\n');
  await settle(21_000);
  expect(server.stream(0).signal.aborted).toBe(true);
  const before = server.count();
  await settle(600_000);
  expect(server.count()).toBe(before);
  feed.setHidden(false);
  await settle(1_000);
  expect(server.count()).toBe(before + 1);
  expect(onChange).toHaveBeenCalledTimes(1);
});

test("leaving a page closes its connection, and restoring it from the browser's history reconnects (J2)", async () => {
  const server = fakeServer();
  const feed = new ChangeFeed(server.open);
  const onChange = vi.fn<() => void>();
  feed.listen(['people'], onChange);
  await settle();
  feed.pause();
  expect(server.stream(0).signal.aborted).toBe(true);
  feed.setHidden(true);
  await settle(600_000);
  // Browsers fire `visibilitychange` before `pageshow`, which first checks the session.
  feed.setHidden(false);
  await settle();
  expect(server.count()).toBe(1);
  feed.resume();
  await settle(1_000);
  expect(server.count()).toBe(2);
  expect(onChange).toHaveBeenCalledTimes(1);
});

test('a connection ended by the server is reopened after the requested delay (J2)', async () => {
  const server = fakeServer();
  const feed = new ChangeFeed(server.open);
  feed.listen(['people'], () => {});
  await settle();
  server.stream(0).write('retry: 40000\n\n');
  server.stream(0).end();
  await settle(39_000);
  expect(server.count()).toBe(1);
  await settle(2_000);
  expect(server.count()).toBe(2);
});

test('parseAreas ignores lines that are not change events (J2)', () => {
  expect(parseAreas('data: {"areas":["people",7]}')).toEqual(['people']);
  for (const line of ['', ': still here', 'data: nonsense', 'data: null', 'data: {"areas":"people"}'])
    expect(parseAreas(line)).toEqual([]);
});

test('reconnections after a silent connection leave no listeners at its signal', async () => {
  const [added, removed] = [
    vi.spyOn(EventTarget.prototype, 'addEventListener'),
    vi.spyOn(EventTarget.prototype, 'removeEventListener'),
  ];
  const server = fakeServer();
  const feed = new ChangeFeed(server.open);
  feed.listen(['people'], () => {});
  await settle(1_000_000);
  expect(server.count()).toBeGreaterThan(5);
  const countOf = ({ mock }: typeof added | typeof removed, target: unknown) =>
    mock.contexts.filter((context) => context === target).length;
  const left = [...new Set(added.mock.contexts)].map(
    (target) => countOf(added, target) - countOf(removed, target),
  );
  expect(Math.max(...left)).toBe(1);
});
