import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallFailure } from '../language/call-failure.ts';
import { areasOf, ChangeFeed } from './live-changes.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
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

test('one connection serves all; each hears of its areas only, once for a burst (J2)', async () => {
  const server = fakeServer();
  const feed = new ChangeFeed(server.open);
  const [people, invitations] = [vi.fn<() => void>(), vi.fn<() => void>()];
  feed.listen(['people'], people);
  feed.listen(['invitations'], invitations);
  await settle();
  expect(server.count()).toBe(1);
  // Cut anywhere, as a network does.
  server.stream(0).write(': connected\n\nda');
  server.stream(0).write('ta: {"areas":["people"]}\n\ndata: {"areas":["people","activity"]}\n\n');
  await settle(1_000);
  expect(people).toHaveBeenCalledTimes(1);
  expect(invitations).not.toHaveBeenCalled();
});

test('the connection ends when nobody listens (J2)', async () => {
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

test('a lost connection comes back, and what was missed is told (J2)', async () => {
  const server = fakeServer();
  const feed = new ChangeFeed(server.open);
  const tell = vi.fn<() => void>();
  feed.listen(['people'], tell);
  await settle();
  server.stream(0).end();
  await settle(2_000);
  expect(server.count()).toBe(2);
  await settle(1_000);
  expect(tell).toHaveBeenCalledTimes(1);
});

test('a connection that has fallen silent is given up (J2)', async () => {
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

test('failures are waited out longer and longer; who may not follow does not ask again (J2)', async () => {
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

test('a tab out of sight lets go after a minute and catches up when it is back (J2)', async () => {
  const server = fakeServer();
  const feed = new ChangeFeed(server.open);
  const tell = vi.fn<() => void>();
  feed.listen(['people'], tell);
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
  expect(tell).toHaveBeenCalledTimes(1);
});

test('a page that is left holds no connection; when it is back it has one and catches up (J2)', async () => {
  const server = fakeServer();
  const feed = new ChangeFeed(server.open);
  const tell = vi.fn<() => void>();
  feed.listen(['people'], tell);
  await settle();
  feed.leave();
  expect(server.stream(0).signal.aborted).toBe(true);
  feed.setHidden(true);
  await settle(600_000);
  // Browsers say that a page is seen before they say that it is back, which is looked at first: is this person signed in?
  feed.setHidden(false);
  await settle();
  expect(server.count()).toBe(1);
  feed.comeBack();
  await settle(1_000);
  expect(server.count()).toBe(2);
  expect(tell).toHaveBeenCalledTimes(1);
});

test('whose place another page takes waits as long as the server asks for (J2)', async () => {
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

test('what is no event of ours names no areas (J2)', () => {
  expect(areasOf('data: {"areas":["people",7]}')).toEqual(['people']);
  for (const line of ['', ': still here', 'data: nonsense', 'data: null', 'data: {"areas":"people"}'])
    expect(areasOf(line)).toEqual([]);
});
