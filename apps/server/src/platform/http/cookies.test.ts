import pino from 'pino';
import { expect, test } from 'vitest';
import { cookiesOf } from './cookies.ts';
import { createHttpServer } from './http-server.ts';

const safari =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15';
const firefox = 'Mozilla/5.0 Firefox/151.0';

async function exchange(publicUrl: string, userAgent: string, cookie: string) {
  const app = createHttpServer({ logger: pino({ level: 'silent' }), trustProxy: false, publicUrl });
  app.get('/', (request, reply) => {
    const cookies = cookiesOf(request, reply);
    cookies.set('__Host-vestibule', 'new', 60);
    cookies.clear('__Host-vestibule-passkey');
    return reply.send(String(cookies.get('__Host-vestibule')));
  });
  const { payload, headers } = await app.inject({ url: '/', headers: { 'user-agent': userAgent, cookie } });
  await app.close();
  return { read: payload, written: headers['set-cookie'] };
}

const secure = [
  '__Host-vestibule=new; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax',
  '__Host-vestibule-passkey=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax',
];

test('Safari on http://localhost gets cookies without Secure and the prefix, which it would not store', async () => {
  expect(await exchange('http://localhost:3000', safari, 'language=de; vestibule=old')).toEqual({
    read: 'old',
    written: [
      'vestibule=new; Path=/; Max-Age=60; HttpOnly; SameSite=Lax',
      'vestibule-passkey=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    ],
  });
});

test.each([
  ['Safari on https', 'https://portal.example.com', safari],
  ['another browser on http://localhost', 'http://localhost:3000', firefox],
])('%s gets Secure cookies, and a cookie without the prefix is ignored', async (_, publicUrl, userAgent) => {
  expect(await exchange(publicUrl, userAgent, '__Host-vestibule=old')).toEqual({
    read: 'old',
    written: secure,
  });
  expect(await exchange(publicUrl, userAgent, 'vestibule=planted')).toEqual({
    read: 'null',
    written: secure,
  });
});
