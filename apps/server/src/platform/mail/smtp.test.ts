/** Passwords and mails are sent unencrypted to another machine only if the settings allow it (statement N). */
import { once } from 'node:events';
import { Socket, type AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { adviseOnMail } from '../../features/mail/mail-advice.ts';
import { connectSmtp, mailConnectionTo } from './smtp.ts';

const mail = { to: { name: '', address: 'ada@example.com' }, subject: 'Hi', text: 'Hi', html: '' };
const from = { name: 'Portal', address: 'no-reply@example.com', replyTo: 'help@example.com' };

let server: SMTPServer | null = null;
/** Credentials and sender addresses that the server received. */
let heard: [what: string, isEncrypted: boolean][] = [];

async function startServer(options: SMTPServerOptions = {}): Promise<string> {
  heard = [];
  server = new SMTPServer({
    disableReverseLookup: true,
    allowInsecureAuth: true,
    onAuth({ username, password }, { secure }, done) {
      heard.push([`${username}:${password}`, secure]);
      done(null, { user: username });
    },
    onMailFrom({ address }, { secure }, done) {
      heard.push([address, secure]);
      done();
    },
    onData(stream, _session, done) {
      stream.resume().once('end', () => done());
    },
    ...options,
  });
  // Ignores clients that refuse the certificate, as the tests intend.
  server.on('error', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `127.0.0.1:${(server.server.address() as AddressInfo).port}`;
}
afterEach(async () => {
  await new Promise<void>((resolve) => (server ? server.close(resolve) : resolve()));
  server = null;
});

async function send(url: string, connection: ReturnType<typeof mailConnectionTo>): Promise<Error | string> {
  const smtp = connectSmtp({ url, clientName: 'portal.example.com', connection, from });
  try {
    return await smtp.send(mail, '<one@example.com>');
  } catch (error) {
    return error as Error;
  } finally {
    smtp.close();
  }
}

test.each([
  ['smtps://mail.example.com', false, 'tls'],
  ['smtps://127.0.0.1', true, 'tls'],
  ['smtp://mail.example.com:465', true, 'tls'],
  ['smtp://mail.example.com:587', false, 'starttls'],
  ['smtp://10.0.0.5', false, 'starttls'],
  ['smtp://127.0.0.1.example.com', false, 'starttls'],
  ['smtp://mail.example.com', true, 'plain'],
  ['smtp://localhost:2525', false, 'local'],
  ['smtp://127.0.0.1', true, 'local'],
  ['smtp://[::1]:25', false, 'local'],
] as const)('the connection to %s (plain text allowed: %s) is of the kind %s', (url, allowed, kind) => {
  expect(mailConnectionTo(url, allowed)).toBe(kind);
});

test('every mail has the address for replies, and headers against automatic replies (RFC 3834) and grouping by Gmail', async () => {
  let source = '';
  const host = await startServer({
    onData(stream, _session, done) {
      stream.setEncoding('utf8').on('data', (part: string) => (source += part));
      stream.once('end', () => done());
    },
  });
  expect(await send(`smtp://user:secret@${host}`, 'local')).toMatch(/^250/);
  expect(source).toMatch(/^Reply-To: help@example\.com\r$/m);
  expect(source).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  expect(source).toMatch(/^X-Auto-Response-Suppress: DR, RN, NRN, OOF, AutoReply\r$/m);
  const [, messageId = 'none'] = /^Message-ID: <?([^>\r]+)>?\r$/m.exec(source) ?? [];
  expect(source).toMatch(new RegExp(`^X-Entity-Ref-ID: <?${messageId}>?\r$`, 'm'));
});

test.each([
  ['', 'portal.example.com'],
  ['name=mail.example.com', 'mail.example.com'],
])('with %j in the URL, the name in EHLO is %s', async (parameter, name) => {
  let clientName = '';
  const host = await startServer({
    onMailFrom(_address, { hostNameAppearsAs }, done) {
      clientName = hostNameAppearsAs;
      done();
    },
  });
  expect(await send(`smtp://u:p@${host}?${parameter}`, 'local')).toMatch(/^250/);
  expect(clientName).toBe(name);
});

test('a server that scans mails before it replies has five minutes', async () => {
  const setTimeouts = vi.spyOn(Socket.prototype, 'setTimeout');
  const host = await startServer();
  expect(await send(`smtp://u:p@${host}`, 'local')).toMatch(/^250/);
  // Sockets of the server have shorter timeouts.
  const longest = Math.max(...setTimeouts.mock.calls.map(([milliseconds]) => milliseconds));
  setTimeouts.mockRestore();
  expect(longest).toBe(300_000);
});

test('a server has a minute to greet', async () => {
  const setTimeouts = vi.spyOn(globalThis, 'setTimeout');
  const host = await startServer();
  expect(await send(`smtp://u:p@${host}`, 'local')).toMatch(/^250/);
  const limits = setTimeouts.mock.calls.flatMap(([, limit = 0]) => (limit > 1_000 ? [limit] : []));
  setTimeouts.mockRestore();
  // Without the time that connecting took.
  expect(Math.min(...limits)).toBeGreaterThan(50_000);
});

describe('with STARTTLS required', () => {
  test('a server that supports STARTTLS receives password and mail encrypted', async () => {
    const host = await startServer();
    expect(await send(`smtp://user:secret@${host}?tls.rejectUnauthorized=false`, 'starttls')).toMatch(/^250/);
    expect(heard).toEqual([
      ['user:secret', true],
      [from.address, true],
    ]);
  });

  test.each([
    '',
    '?ignoreTLS=true',
    '?requireTLS=false',
    '?opportunisticTLS=true',
    '?secure=false&requireTLS=false',
  ])(
    'a server without STARTTLS receives neither password nor mail, even with this query in its address: %j',
    async (query) => {
      const host = await startServer({ disabledCommands: ['STARTTLS'] });
      const error = (await send(`smtp://user:secret@${host}${query}`, 'starttls')) as Error;
      expect(error).toMatchObject({
        code: 'ETLS',
        message: expect.stringMatching(
          /^The mail server offers no encryption: to STARTTLS it says "5\d\d .+"\.$/,
        ),
      });
      expect(heard).toEqual([]);
      const { message } = adviseOnMail(error.message);
      expect(message).toContain('smtps://');
      expect(message).toContain('SMTP_ALLOW_PLAIN_TEXT=yes');
    },
  );

  test('a server with an untrusted certificate receives no mail', async () => {
    const error = await send(`smtp://user:secret@${await startServer()}`, 'starttls');
    expect(error).toMatchObject({ message: expect.stringMatching(/certificate/i) });
    expect(heard).toEqual([]);
  });
});

test.each(['?secure=false', ''])(
  'a connection to smtps:// is encrypted from the start, even with this query in its address: %j',
  async (query) => {
    const host = await startServer({ disabledCommands: ['STARTTLS'] });
    expect(await send(`smtps://user:secret@${host}${query}`, 'tls')).toBeInstanceOf(Error);
    expect(heard).toEqual([]);
  },
);

test('with TLS from the start, smtp:// is encrypted like smtps://', async () => {
  const host = await startServer({ secure: true });
  expect(await send(`smtp://user:secret@${host}?tls.rejectUnauthorized=false`, 'tls')).toMatch(/^250/);
  expect(heard).toEqual([
    ['user:secret', true],
    [from.address, true],
  ]);
});

test.each(['plain', 'local'] as const)(
  'a %s connection accepts the certificate of a server that has signed it itself',
  async (kind) => {
    expect(await send(`smtp://user:secret@${await startServer()}`, kind)).toMatch(/^250/);
    expect(heard).toEqual([
      ['user:secret', true],
      [from.address, true],
    ]);
  },
);

test.each(['plain', 'local'] as const)(
  'a %s connection sends mails unencrypted to a server without STARTTLS',
  async (kind) => {
    const host = await startServer({ disabledCommands: ['STARTTLS'] });
    expect(await send(`smtp://user:secret@${host}`, kind)).toMatch(/^250/);
    expect(heard).toEqual([
      ['user:secret', false],
      [from.address, false],
    ]);
  },
);
