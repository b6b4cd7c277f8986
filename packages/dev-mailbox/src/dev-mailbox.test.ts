import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMailStore } from './mail-store.ts';
import { startDevMailbox, type DevMailbox, type Message } from './dev-mailbox.ts';

let mailbox: DevMailbox;

beforeEach(async () => {
  mailbox = await startDevMailbox({ smtpPort: 0, httpPort: 0 });
});

afterEach(async () => {
  await mailbox.close();
});

type Mail = {
  to?: string;
  subject?: string;
  text?: string;
  html?: string;
  raw?: Buffer;
  attachments?: object[];
};

async function send(mail: Mail): Promise<void> {
  const transport = createTransport(mailbox.smtpUrl);
  try {
    await transport.sendMail({ from: 'Vestibule <no-reply@example.com>', to: 'ada@example.com', ...mail });
  } finally {
    transport.close();
  }
}

async function list(search = ''): Promise<Message[]> {
  const response = await fetch(`${mailbox.url}/api/messages${search}`);
  return (await response.json()) as Message[];
}

test('GET /api/messages lists mails with their texts, newest first', async () => {
  await send({ subject: 'First – ünïcode', text: 'Hello\nAda', html: '<p>Hello</p>' });
  await send({ subject: 'Second', to: 'grace@example.com, alan@example.com', text: 'Hi' });
  const messages = await list();
  expect(messages.map(({ to, subject }) => [to, subject])).toEqual([
    ['grace@example.com, alan@example.com', 'Second'],
    ['ada@example.com', 'First – ünïcode'],
  ]);
  expect(Object.keys(messages[1] ?? {}).sort()).toEqual([
    'html',
    'id',
    'receivedAt',
    'subject',
    'text',
    'to',
  ]);
  expect(messages[1]).toMatchObject({
    text: expect.stringContaining('Hello\nAda'),
    html: expect.stringContaining('<p>Hello</p>'),
  });
  expect(Date.now() - Date.parse(messages[1]?.receivedAt ?? '')).toBeLessThan(10_000);
});

test('GET /api/messages can be filtered by recipient', async () => {
  await send({ to: 'Ada@Example.com', subject: 'for Ada' });
  await send({ to: 'grace@example.com, ada@example.com', subject: 'for both' });
  await send({ to: 'grace@example.com', subject: 'for Grace' });
  const subjects = (await list('?to=ada@example.COM')).map(({ subject }) => subject);
  expect(subjects).toEqual(['for both', 'for Ada']);
});

test('GET /api/messages/:id/raw returns the source of a mail', async () => {
  await send({ subject: 'Source', text: 'x' });
  const [message] = await list();
  const response = await fetch(`${mailbox.url}/api/messages/${message?.id}/raw`);
  expect(await response.text()).toMatch(/^From: Vestibule <no-reply@example.com>[^]*Subject: Source/);
  expect((await fetch(`${mailbox.url}/api/messages/unknown/raw`)).status).toBe(404);
});

test('DELETE /api/messages deletes all mails', async () => {
  await send({ subject: 'gone' });
  const response = await fetch(`${mailbox.url}/api/messages`, { method: 'DELETE' });
  expect(response.status).toBe(204);
  expect(await list()).toEqual([]);
});

test('GET /api/messages returns 304 for an unchanged list', async () => {
  const first = await fetch(`${mailbox.url}/api/messages`);
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
  expect((await fetch(`${mailbox.url}/api/messages`, { headers })).status).toBe(304);
  await send({ subject: 'new' });
  expect((await fetch(`${mailbox.url}/api/messages`, { headers })).status).toBe(200);
});

test('the store keeps the last mails only', async () => {
  const store = createMailStore(2);
  for (const number of [1, 2, 3]) await store.add(Buffer.from(`Subject: number ${number}\n\n`), []);
  expect(store.list().map(({ subject }) => subject)).toEqual(['number 3', 'number 2']);
});

test('a store with a directory has the mails of the store before, until they are deleted', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'dev-mailbox-'));
  const createStore = () => createMailStore(2, directory);
  const subjectsOf = (store: ReturnType<typeof createMailStore>) =>
    store.list().map(({ subject }) => subject);
  const before = createStore();
  for (const number of [1, 2, 3]) {
    await before.add(Buffer.from(`Subject: number ${number}\n\n`), ['Ada@example.com']);
    // The order of mails is that of their times, in milliseconds.
    await delay(2);
  }
  const after = createStore();
  expect(subjectsOf(after)).toEqual(['number 3', 'number 2']);
  const [newest] = after.list('ada@example.com');
  expect(String(after.find(newest?.id ?? '')?.raw)).toContain('Subject: number 3');
  after.clear();
  expect(subjectsOf(createStore())).toEqual([]);
  rmSync(directory, { recursive: true });
});

test('a mail over 10 MB is rejected and the next one is accepted', async () => {
  // As a whole, because encoding a text of this size takes a second.
  const raw = Buffer.alloc(10_000_001, `${'x'.repeat(70)}\r\n`);
  await expect(send({ raw })).rejects.toMatchObject({ responseCode: 552 });
  await send({ subject: 'small' });
  expect((await list()).map(({ subject }) => subject)).toEqual(['small']);
});

test('an HTML mail is sandboxed: no scripts, no external resources, links open in a new tab', async () => {
  const image = Buffer.from('not really a picture');
  await send({
    html: '<a href="https://example.com">go</a><script>alert(1)</script><img src="cid:code">',
    attachments: [{ cid: 'code', filename: 'code.png', contentType: 'image/png', content: image }],
  });
  const [message] = await list();
  const response = await fetch(`${mailbox.url}/api/messages/${message?.id}/html`);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/sandbox (?!.*allow-scripts)/);
  expect(policy).not.toContain('script-src');
  const html = await response.text();
  expect(html).toMatch(/^<!doctype html><base target="_blank">/);
  expect(html).toContain(`data:image/png;base64,${image.toString('base64')}`);
});

test('the page has a development notice and a strict content security policy', async () => {
  const page = await fetch(mailbox.url);
  expect(await page.text()).toContain('For development');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toContain('unsafe');
  for (const path of ['/page.js', '/page.css']) expect((await fetch(mailbox.url + path)).status).toBe(200);
});

test('a request with another host name is rejected (DNS rebinding)', async () => {
  const { port } = new URL(mailbox.url);
  const foreign = request({
    host: '127.0.0.1',
    port,
    path: '/api/messages',
    headers: { host: `evil.example:${port}` },
  });
  foreign.end();
  const [response] = (await once(foreign, 'response')) as [{ statusCode: number; resume(): void }];
  response.resume();
  expect(response.statusCode).toBe(403);
});

test('SMTP listens on loopback, also if the page has a public address', async () => {
  const allowed = await startDevMailbox({ smtpPort: 0, httpPort: 0, host: '0.0.0.0' });
  expect(allowed.smtpUrl).toMatch(/^smtp:\/\/127\.0\.0\.1:/);
  expect((await fetch(allowed.url.replace('localhost', '127.0.0.2'))).status).toBe(403);
  await expect(fetch(allowed.smtpUrl.replace('smtp://127.0.0.1', 'http://127.0.0.2'))).rejects.toThrow();
  await allowed.close();
});

test.each(['smtpPort', 'httpPort'] as const)(
  'startDevMailbox rejects with EADDRINUSE and the port if %s is in use',
  async (name) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const start = startDevMailbox({ smtpPort: 0, httpPort: 0, [name]: port });
    await expect(start).rejects.toMatchObject({ code: 'EADDRINUSE', port });
    other.close();
  },
);
