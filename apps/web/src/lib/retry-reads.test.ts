import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const unavailable = () =>
  Response.json(
    { code: 'server.unavailable', message: 'Unavailable.' },
    { status: 503, headers: { 'retry-after': '5' } },
  );

/** Stubs `fetch` with these responses in order. Returns the module and the methods of the requests. */
async function stubResponses(...responses: Response[]) {
  const methods: string[] = [];
  vi.stubGlobal('fetch', (_url: string, { method }: { method: string }) => {
    methods.push(method);
    return Promise.resolve(responses.shift());
  });
  vi.stubGlobal('window', new EventTarget());
  return { ...(await import('./call.ts')), ...(await import('./retry-reads.ts')), methods };
}

test('a call that only reads is repeated while the server is unavailable, and the wait is reported (U1)', async () => {
  const { fetchConfiguration, retryReads, methods } = await stubResponses(
    unavailable(),
    unavailable(),
    Response.json({ ProductName: 'Portal' }),
  );
  const waits: boolean[] = [];
  retryReads((isWaiting) => waits.push(isWaiting));
  const configuration = fetchConfiguration();
  await vi.advanceTimersByTimeAsync(4_000);
  expect([methods.length, waits]).toEqual([1, [true]]);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(await configuration).toEqual({ ProductName: 'Portal' });
  expect([methods, waits]).toEqual([
    ['GET', 'GET', 'GET'],
    [true, false],
  ]);
});

test('a call that only reads fails if the server is unavailable for more than a minute', async () => {
  const { fetchConfiguration, retryReads, methods } = await stubResponses(
    ...Array.from({ length: 20 }, unavailable),
  );
  retryReads(() => {});
  const failure = fetchConfiguration().catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await failure).toMatchObject({ status: 503 });
  expect(methods).toHaveLength(13);
});

test('a change is not repeated, because its result is unknown', async () => {
  const { call, setTokenProvider, retryReads, methods } = await stubResponses(unavailable());
  setTokenProvider(() => Promise.resolve('token'));
  retryReads(() => {});
  const { revokeInvitation } = await import('@vestibule/contract/invitations');
  await expect(call(revokeInvitation, { params: { invitationId: '1' } })).rejects.toMatchObject({
    status: 503,
  });
  expect(methods).toHaveLength(1);
});
