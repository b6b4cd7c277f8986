import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { changeSettings, getMailPreview, MailTemplateName, sendTestMail } from '@vestibule/contract/settings';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterEach, describe, expect, test } from 'vitest';
import { createTestApp } from '../../test/test-app.ts';
import { connectSmtp } from '../../platform/mail/smtp.ts';
import { closeAfterTests } from '../../test/test-close.ts';

const t = closeAfterTests(await createTestApp());
const ann = await t.join('ann@example.com', 'admin');
afterEach(async () => {
  await t.select('delete from settings');
  t.settings.invalidate();
  // Five test mails a minute are allowed.
  t.clock.advance(60_000);
});

describe('mail preview', () => {
  const preview = (template: string, query: object = {}) =>
    t.callAs(ann, getMailPreview, { params: { template: template as MailTemplateName }, query: query });

  test.each(MailTemplateName.options)(
    'shows "%s" in both languages and both colour schemes (K5)',
    async (template) => {
      const english = await preview(template);
      const german = await preview(template, { language: 'de', scheme: 'dark' });
      expect([english.status, german.status]).toEqual([200, 200]);
      expect(english.body.html).toContain('<html lang="en">');
      expect(german.body.html).toContain('<html lang="de">');
      expect(english.body.html).toContain('@media not all{');
      expect(german.body.html).toContain('@media all{');
      expect(english.body.text).toContain('Vestibule');
      expect(german.body.subject).not.toBe(english.body.subject);
    },
  );

  test('shows the chosen product name and a link without a valid code (K5; security 27)', async () => {
    await t.callAs(ann, changeSettings, { body: { productName: 'Gate', versions: { productName: 0 } } });
    const { body } = await preview('invitation');
    expect(body.subject).toBe('Your invitation to Gate');
    expect(body.text).toContain('https://portal.example.com/signup?i=EXAMPLE');
  });

  test('rejects unknown templates (K5)', async () => {
    for (const [template, query] of [
      ['farewell', {}],
      ['..%2F..%2Fsecret', {}],
      ['invitation', { language: 'fr' }],
      ['invitation', { scheme: 'sepia' }],
    ] as const)
      expect((await preview(template, query)).status).toBe(400);
  });
});

async function receive(stream: Readable, received: Email[], done: () => void): Promise<void> {
  received.push(await PostalMime.parse(await text(stream)));
  done();
}

describe('test mail', () => {
  type Behaviour = { refuse?: Error & { responseCode: number }; auth?: boolean };

  async function withServer<Result>(
    behaviour: Behaviour,
    work: (port: number, received: Email[]) => Promise<Result>,
  ): Promise<Result> {
    const received: Email[] = [];
    const server = new SMTPServer({
      authOptional: !behaviour.auth,
      disabledCommands: ['STARTTLS'],
      disableReverseLookup: true,
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) =>
        done(Object.assign(new Error('bad credentials'), { responseCode: 535 })),
      onRcptTo: (_address, _session, done) => done(behaviour.refuse),
      onData(stream, _session, done) {
        void receive(stream, received, done);
      },
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      return await work((server.server.address() as AddressInfo).port, received);
    } finally {
      await new Promise<void>((resolve) => server.close(resolve));
    }
  }

  async function sendTest(url: string | null, body: { language?: 'en' | 'de' } = {}) {
    const smtp =
      url === null
        ? null
        : connectSmtp({ url, connection: 'local', from: { name: 'Portal', address: 'door@example.com' } });
    const otherProcess = await createTestApp({
      sharedWith: t,
      sendNow: smtp && ((mail, messageId) => smtp.send(mail, messageId)),
    });
    try {
      return await otherProcess.callAs(ann, sendTestMail, { body });
    } finally {
      smtp?.close();
      await otherProcess.close();
    }
  }

  test('is sent to the calling administrator and returns the reply of the mail server (K5, N)', async () => {
    await withServer({}, async (port, received) => {
      const { status, body } = await sendTest(`smtp://127.0.0.1:${port}`, { language: 'de' });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        to: 'ann@example.com',
        accepted: true,
        said: expect.stringMatching(/^250 /),
      });
      expect(received).toMatchObject([
        {
          to: [{ address: 'ann@example.com' }],
          from: { name: 'Portal', address: 'door@example.com' },
          subject: 'Test-E-Mail von Vestibule',
          messageId: expect.stringMatching(/^<[0-9a-f-]{36}@portal\.example\.com>$/),
        },
      ]);
    });
    const entries = await t.select("select from audit_log where action = 'settings.test_mail'");
    expect(entries).toHaveLength(1);
  });

  const refusal = (responseCode: number, message: string) =>
    Object.assign(new Error(message), { responseCode });
  test.each([
    [refusal(550, '5.1.1 no such mailbox'), /550 5\.1\.1 no such mailbox/, /does not exist/],
    [refusal(554, 'sender not allowed'), /554 sender not allowed/, /by policy/],
    [refusal(451, 'greylisted'), /451 greylisted/, /asks to wait/],
    [refusal(552, 'mailbox full'), /552 mailbox full/, /full/],
  ])('reports a refusal of the mail server with advice: %s (K5, N)', async (refuse, said, advice) => {
    const { body } = await withServer({ refuse }, (port) => sendTest(`smtp://127.0.0.1:${port}`));
    expect(body).toMatchObject({ accepted: false });
    expect(body.said).toMatch(said);
    expect(body.advice).toMatch(advice);
  });

  test('names SMTP_URL for a wrong password, without repeating the password (K5; security 27)', async () => {
    const { body, text: response } = await withServer({ auth: true }, (port) =>
      sendTest(`smtp://user:a-secret@127.0.0.1:${port}`),
    );
    expect(body.advice).toMatch(/user and password in SMTP_URL/);
    expect(response).not.toContain('a-secret');
  });

  test('names the setting to correct for an unreachable server, an unknown host name or missing encryption (K5, N)', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const unreachable = (await sendTest(`smtp://127.0.0.1:${port}`)).body;
    expect(unreachable).toMatchObject({
      accepted: false,
      advice: expect.stringMatching(/host and port in SMTP_URL/),
    });
    const noName = (await sendTest('smtp://no-such-host.invalid:25')).body;
    expect(noName).toMatchObject({ accepted: false, advice: expect.stringMatching(/SMTP_URL/) });
    const plain = await withServer({}, (open) => sendTest(`smtps://127.0.0.1:${open}`));
    expect(plain.body).toMatchObject({ accepted: false, advice: expect.stringMatching(/no encryption/) });
  });

  test('explains that invitations are shared by link when mail is disabled (K5, N)', async () => {
    const { status, body } = await sendTest(null);
    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: false, said: 'E-mail is turned off (SMTP_URL=off).' });
    expect(body.advice).toContain('by link');
  });

  test('is limited to five per minute (K5)', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1)
      statuses.push((await t.callAs(ann, sendTestMail, { body: {} })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    t.clock.advance(60_000);
    expect((await t.callAs(ann, sendTestMail, { body: {} })).status).toBe(200);
  });
});
