/** Addresses entered by users cannot reach private networks (security 69). */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createOutboundHttp, isPublicAddress, type LookUp } from './outbound-http.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});
async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
const lookupReturning = (...addresses: string[]): LookUp => {
  return () =>
    Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
};
const privateError = { name: 'Error', reason: 'private' };

test.each([
  '127.0.0.1',
  '127.8.9.1',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '0.0.0.0',

  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '192.0.0.192',
  '203.0.113.9',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'ff02::1',

  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001::1',
  '2001:db8::1',
  'fec0::1',
  'nonsense',
  '',
])('isPublicAddress returns false for "%s"', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  '8.8.8.8',
  '172.15.0.1',
  '172.32.0.1',
  '100.128.0.1',
  '223.255.255.1',
  '2606:4700::1111',
  '2a00:1450::1',
])('isPublicAddress returns true for %s', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

describe('a request', () => {
  test.each([
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '169.254.169.254',
    '0',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '127.0.0.1.',
    '①②⑦.0.0.1',
  ])('to the loopback or link-local address https://%s is refused (security 69)', async (host) => {
    const outboundHttp = createOutboundHttp({ allowsPrivate: false });
    await expect(outboundHttp.check(`https://${host}/`)).rejects.toMatchObject(privateError);
    await expect(outboundHttp.fetch(`https://${host}/`)).rejects.toMatchObject({ cause: privateError });
  });

  test('to a name that resolves to a public and a private address is refused (security 69)', async () => {
    const outboundHttp = createOutboundHttp({
      allowsPrivate: false,
      lookup: lookupReturning('8.8.8.8', '10.0.0.1'),
    });
    await expect(outboundHttp.fetch('https://both.example/')).rejects.toMatchObject({ cause: privateError });
  });

  test('to an http address is refused', async () => {
    const outboundHttp = createOutboundHttp({ allowsPrivate: false, lookup: lookupReturning('8.8.8.8') });
    await expect(outboundHttp.fetch('http://plain.example/')).rejects.toMatchObject({
      cause: { reason: 'plain' },
    });
    await expect(outboundHttp.check('http://plain.example/')).rejects.toMatchObject({ reason: 'plain' });
  });
});

test('a name is resolved once and the connection uses the checked address, even if DNS changes (security 69)', async () => {
  let lookupCount = 0;
  const lookup: LookUp = () => {
    lookupCount += 1;
    return Promise.resolve([{ address: lookupCount === 1 ? '127.0.0.1' : '127.0.0.99', family: 4 }]);
  };
  const port = await listen((request, response) => response.end(request.socket.localAddress));
  const outboundHttp = createOutboundHttp({ allowsPrivate: true, lookup });
  const response = await outboundHttp.fetch(`http://rebinding.example:${port}/`);
  expect(await response.text()).toBe('127.0.0.1');
  expect(lookupCount).toBe(1);
});

test('a redirect is returned like any other response and not followed (security 69)', async () => {
  let followed = 0;
  const port = await listen((request, response) => {
    if (request.url === '/inside') followed += 1;
    response.writeHead(307, { location: '/inside' }).end('moved');
  });
  const response = await createOutboundHttp({ allowsPrivate: true }).fetch(`http://127.0.0.1:${port}/`);
  expect([response.status, await response.text()]).toEqual([307, 'moved']);
  expect(followed).toBe(0);
});

test('only the first 512 KB of an endless response are read', async () => {
  const port = await listen((_request, response) => {
    const timer = setInterval(() => response.write('x'.repeat(30_000)), 1);
    response.on('close', () => clearInterval(timer));
  });
  const outboundHttp = createOutboundHttp({ allowsPrivate: true });
  const response = await outboundHttp.fetch(`http://127.0.0.1:${port}/`);
  expect(await response.text()).toBe('x'.repeat(512 * 1024));
  const short = await outboundHttp.fetch(`http://127.0.0.1:${port}/`, {}, 4_096);
  expect(await short.text()).toBe('x'.repeat(4_096));
});

test('a response with an unknown status is an error that names it', async () => {
  const port = await listen((_request, response) => response.writeHead(600).end());
  await expect(
    createOutboundHttp({ allowsPrivate: true }).fetch(`http://127.0.0.1:${port}/`),
  ).rejects.toMatchObject({ cause: { message: 'The response has the status 600.' } });
});

test('concurrent requests share one DNS lookup, and end at their time limit if the name server hangs', async () => {
  let lookupCount = 0;
  const lookup: LookUp = () => {
    lookupCount += 1;
    return new Promise(() => {});
  };
  const outboundHttp = createOutboundHttp({ allowsPrivate: false, lookup });
  const requests = Array.from({ length: 20 }, () =>
    outboundHttp.fetch('https://slow.example/', { signal: AbortSignal.timeout(100) }),
  );
  const outcomes = await Promise.allSettled(requests);
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  expect(lookupCount).toBe(1);
});

test.each(['before the response', 'during the response'])(
  'a request ends at its time limit if the server hangs %s',
  async (when) => {
    const port = await listen((_request, response) => {
      if (when !== 'before the response') response.write('so');
    });
    const hanging = createOutboundHttp({ allowsPrivate: true }).fetch(`http://127.0.0.1:${port}/`, {
      signal: AbortSignal.timeout(200),
    });
    await expect(hanging).rejects.toThrow();
  },
);

test('if the start of a response is sufficient, it is returned although the connection is lost', async () => {
  const port = await listen((_request, response) => response.write('so', () => response.destroy()));
  const outboundHttp = createOutboundHttp({ allowsPrivate: true });
  const response = await outboundHttp.fetch(`http://127.0.0.1:${port}/`, {}, 4_096);
  expect([response.status, await response.text()]).toEqual([200, 'so']);
  await expect(outboundHttp.fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
});
