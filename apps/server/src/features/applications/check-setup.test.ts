/** The check of a set-up, with a small proxy that can be misconfigured. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkApplication } from '@vestibule/contract/applications';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { closeAfterTests } from '../../test/test-close.ts';
import { createApplicationSite, proxyAddress } from './test-applications.ts';

const site = closeAfterTests(
  await createApplicationSite({
    TRUST_PROXY: proxyAddress,
    SIGN_IN_WITH: 'b2c',
    WEBHOOKS_TO_PRIVATE_ADDRESSES: 'yes',
  }),
);
const { t, admin, register } = site;

const correct = {
  forwardsPath: true,
  asks: true,
  remoteAddress: proxyAddress,
  host: (host: string) => host,
  removes: /^(?:remote|x)[-_]/,
  hidesResponse: false,
  secondsAhead: 0,
};
let proxy: typeof correct;
beforeEach(() => {
  proxy = correct;
});

const server = createServer((request, response) => {
  void (async () => {
    response.setHeader('date', new Date(t.clock.now() + proxy.secondsAhead * 1000).toUTCString());
    const { url = '/', method, headers } = request;
    const isReserved = url.startsWith('/.vestibule/');
    if (isReserved ? !proxy.forwardsPath : !proxy.asks) return response.end('the application');
    const vestibule = await t.app.inject({
      url: isReserved ? url : '/forward-auth',
      remoteAddress: proxy.remoteAddress,
      headers: {
        ...keep(headers),
        'x-forwarded-proto': 'http',
        'x-forwarded-host': proxy.host(String(headers.host)),
        'x-forwarded-uri': url,
        'x-forwarded-method': method,
      },
    });
    if (vestibule.statusCode === 200 && !isReserved) return response.end('the application');
    if (proxy.hidesResponse && vestibule.statusCode === 401) return response.writeHead(401).end();
    for (const [name, value] of Object.entries(vestibule.headers))
      if (value !== undefined && name !== 'content-length' && name !== 'date')
        response.setHeader(name, value);
    return response.writeHead(vestibule.statusCode).end(vestibule.rawPayload);
  })();
});
const keep = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !proxy.removes.test(name)));
await once(server.listen(0, '127.0.0.1'), 'listening');
afterAll(() => server.close());
const { port } = server.address() as AddressInfo;
const application = await register([], `http://127.0.0.1:${port}`);

async function check(id = application.id) {
  const response = await t.callAs(admin, checkApplication, { params: { applicationId: id } });
  return Object.fromEntries(
    response.body.steps.map(({ step, state, message }) => [
      step,
      message ? `${state} ${message.code.replace('application_check.', '')}` : state,
    ]),
  );
}
const allOk = {
  reachable: 'ok',
  path: 'ok',
  proxy: 'ok',
  protection: 'ok',
  headers: 'ok',
  clock: 'ok',
  signIn: 'failed onlyB2c',
};

test('reports a complete set-up, except the missing sign-in method', async () => {
  expect(await check()).toEqual(allOk);
});

test.each([
  [
    'the reserved path is not forwarded',
    { forwardsPath: false },
    { path: 'failed pathMissing', proxy: 'unknown' },
  ],
  [
    'the proxy is not in TRUST_PROXY',
    { remoteAddress: '203.0.113.7' },
    { proxy: 'failed proxyUntrusted', protection: 'unknown' },
  ],
  [
    'the proxy reports another host',
    { host: () => 'wiki.internal' },
    { proxy: 'failed addressDiffers', protection: 'unknown' },
  ],
  [
    'the proxy does not ask',
    { asks: false },
    { protection: 'failed unprotected', headers: 'unknown headersNotVisible' },
  ],
  [
    'headers with underscores are not removed',
    { removes: /^remote-|^x-vestibule-assertion$/ },
    { headers: 'failed headersKept' },
  ],
  ['the proxy hides the response', { hidesResponse: true }, { headers: 'unknown headersNotVisible' }],
  ['the clock is a minute ahead', { secondsAhead: 60 }, { clock: 'failed clockDiffers' }],
  ['the clock is a minute late', { secondsAhead: -60 }, { clock: 'failed clockDiffers' }],
])('reports that %s', async (_what, fault, expected) => {
  proxy = { ...correct, ...fault };
  expect(await check()).toEqual({ ...allOk, ...expected });
});

test('reports an address that cannot be reached, and answers 404 for an unknown application', async () => {
  const { id } = await register([], 'http://localhost:1');
  const unknown = {
    path: 'unknown',
    proxy: 'unknown',
    protection: 'unknown',
    headers: 'unknown',
    clock: 'unknown',
    signIn: 'failed onlyB2c',
  };
  expect(await check(id)).toEqual({ reachable: 'failed unreachable', ...unknown });
  const params = { applicationId: '0192f0c1-2345-7abc-8def-0123456789ab' };
  expect((await t.callAs(admin, checkApplication, { params })).status).toBe(404);
});

test('requests no address of a private network, unless it is allowed', async () => {
  const other = await createApplicationSite();
  const { id } = await other.register([], 'https://127.0.0.1:1');
  const response = await other.t.callAs(other.admin, checkApplication, { params: { applicationId: id } });
  expect(response.body.steps[0]?.message?.code).toBe('application_check.private');
  expect(response.body.steps.at(-1)).toEqual({ step: 'signIn', state: 'ok', message: null });
  await other.close();
});
