import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { createHttpServer } from './http-server.ts';
import { originOf } from './mount.ts';

const app = createHttpServer({
  logger: pino({ level: 'silent' }),
  trustProxy: ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'],
  publicUrl: 'https://portal.example.com',
});
app.get('/ip', (request) => originOf(request).address);
afterAll(() => app.close());

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['2001:db8::7', '2001:db8::7'],
  ['[2001:db8::7]:51234', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['198.51.100.1:1, 203.0.113.7:51234, 10.0.0.5:3345', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['203.0.113.7,[fd00::5]:80,10.0.0.5', '203.0.113.7'],
  ['unknown', '127.0.0.1'],
  ['203.0.113.7, unknown, 10.0.0.5', '10.0.0.5'],
  ['unknown, 203.0.113.7', '203.0.113.7'],
])(
  'with X-Forwarded-For: %s, the address of the client is %s (security 17)',
  async (forwardedFor, address) => {
    const { payload } = await app.inject({ url: '/ip', headers: { 'x-forwarded-for': forwardedFor } });
    expect(payload).toBe(address);
  },
);

test('an IPv4 client of a dual-stack socket has its IPv4 address', async () => {
  const { payload } = await app.inject({ url: '/ip', remoteAddress: '::ffff:192.0.2.1' });
  expect(payload).toBe('192.0.2.1');
});

test.each([
  ['203.0.113.7', '192.168.0.2', ['192.168.0.2']],
  ['203.0.113.7, 192.168.0.9', '10.0.0.5', ['192.168.0.9']],
  // A user in the same network, and a user who sends the header without a proxy.
  ['192.168.0.9', '10.0.0.5', []],
  ['203.0.113.7', '93.184.216.34', []],
])(
  'X-Forwarded-For: %s from %s is logged once with the proxies %j',
  async (forwardedFor, sender, proxies) => {
    const lines: string[] = [];
    const server = createHttpServer({
      logger: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
      trustProxy: ['10.0.0.0/8'],
      publicUrl: 'https://portal.example.com',
    });
    const headers = { 'x-forwarded-for': forwardedFor };
    for (let count = 0; count < 2; count += 1)
      await server.inject({ url: '/', headers, remoteAddress: sender });
    await server.close();
    expect(lines.map((line) => /the proxy (\S+) is not in TRUST_PROXY/.exec(line)?.[1])).toEqual(proxies);
  },
);

test('X-Forwarded-For of other senders does not count', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.7:51234' };
  const { payload } = await app.inject({ url: '/ip', headers, remoteAddress: '192.0.2.1' });
  expect(payload).toBe('192.0.2.1');
});
