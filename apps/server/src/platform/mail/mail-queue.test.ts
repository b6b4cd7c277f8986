/** Mails of invitations from the queue to a real SMTP server (statement N; security 27, 29, 30). */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getInvitation, invite, listInvitations, revokeInvitation } from '@vestibule/contract/invitations';
import { PgBoss } from 'pg-boss';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestApp, type TestApp, type TestPerson } from '../../test/test-app.ts';
import { invitationMails } from '../../features/invitations/invitation-mail.ts';
import { createMailQueue, type MailQueue } from './mail-queue.ts';
import { connectSmtp } from './smtp.ts';

let t: TestApp;
let admin: TestPerson;
let server: SMTPServer;
let smtp: ReturnType<typeof connectSmtp>;
let worker: MailQueue;
let received: { raw: string; recipients: string[]; mail: Email }[] = [];
/** Errors of the mail server for the next recipients, in order; later recipients are accepted. */
let refusals: (Error & { responseCode: number })[] = [];
/** Error of the mail server for every mail, and the step that fails. */
let closed: { to: 'connection' | 'sender'; with: Error } | null = null;
const reportedErrors: Error[] = [];
let failures: [message: string, template: string][] = [];

const refusal = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode });

async function receive(stream: SMTPServerDataStream, session: SMTPServerSession, done: () => void) {
  const raw = await text(stream);
  const recipients = session.envelope.rcptTo.map(({ address }) => address);
  received.push({ raw, recipients, mail: await PostalMime.parse(raw) });
  done();
}

beforeAll(async () => {
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onConnect: (_session, done) => done(closed?.to === 'connection' ? closed.with : null),
    onMailFrom: (_address, _session, done) => done(closed?.to === 'sender' ? closed.with : null),
    onRcptTo: (_address, _session, done) => done(refusals.shift()),
    onData(stream, session, done) {
      void receive(stream, session, done);
    },
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  smtp = connect();
});
beforeEach(async () => {
  t = await createTestApp();
  admin = await t.join('admin@example.com', 'admin');
  const report = (error: Error) => reportedErrors.push(error);
  worker = createMailQueue(t.database, 'portal.example.com', report, undefined, (...failure) =>
    failures.push(failure),
  );
  await worker.start();
});
afterEach(async () => {
  await worker.stop();
  await t.close();
  received = [];
  refusals = [];
  failures = [];
  closed = null;
  if (reportedErrors.length > 0) throw new AggregateError(reportedErrors, 'the queue had trouble');
});
afterAll(async () => {
  smtp.close();
  await new Promise<void>((resolve) => server.close(resolve));
});

const connect = () =>
  connectSmtp({
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    connection: 'local',
    from: { name: 'Portal', address: 'door@example.com' },
  });
/** Polling interval in milliseconds. */
const soon = { interval: 100 };
const templates = () => invitationMails({ ...t, publicUrl: t.config.publicUrl, now: t.clock.now });
const work = () => worker.work((mail, id) => smtp.send(mail, id), templates());
const inviteTo = async (email: string, more: object = {}) =>
  (await t.callAs(admin, invite, { body: { email, ...more } })).body;
const shown = async (id: string) => {
  const { rows } = (await t.callAs(admin, listInvitations)).body;
  const { mailState, mailError } = rows.find((row) => row.id === id) ?? {};
  return { mailState, mailError };
};
/** Waits for a job in the state `retry` and makes it due now. */
async function makeJobsDue(): Promise<void> {
  const due = () => t.select("update jobs.job set start_after = now() where state = 'retry' returning id");
  await expect.poll(due, soon).toHaveLength(1);
}
const jobStates = () => t.scalars<string>`select state from jobs.job`;

describe('an invitation', () => {
  test('is mailed at once, with its link', async () => {
    await work();
    const startedAt = performance.now();
    const { id } = await inviteTo('ann@example.com', { name: 'Ann', message: 'See you\ninside' });
    expect(await shown(id)).toEqual({ mailState: 'queued', mailError: null });
    await expect.poll(() => received.length, soon).toBe(1);
    // The mail does not wait for the next poll of the queue.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    const { mail, recipients } = received[0] as (typeof received)[0];
    expect(recipients).toEqual(['ann@example.com']);
    expect(mail).toMatchObject({
      from: { name: 'Portal', address: 'door@example.com' },
      to: [{ name: 'Ann', address: 'ann@example.com' }],
      subject: 'Your invitation to Vestibule',
      messageId: expect.stringMatching(/^<[0-9a-f-]{36}@portal\.example\.com>$/),
    });
    const link = `https://portal.example.com/signup?i=${t.shortCodes.codeOf(id)}`;
    expect(mail.text).toContain(link);
    expect(mail.html).toContain(`href="${link}"`);
    expect(mail.text).toContain('> See you\n> inside');
    expect(mail.text).toContain('28 November 2026 at');
    expect(mail.text).toContain('support@example.com');
    await expect.poll(() => shown(id), soon).toEqual({ mailState: 'sent', mailError: null });
  });

  test('is not mailed if it is revoked before its mail is written', async () => {
    const { id } = await inviteTo('ann@example.com');
    await t.callAs(admin, revokeInvitation, { params: { invitationId: id } });
    await inviteTo('bob@example.com');
    await work();
    await expect.poll(jobStates, soon).toEqual(['completed', 'completed']);
    expect(received.map(({ recipients }) => recipients)).toEqual([['bob@example.com']]);
  });

  test('leaves no job if its transaction is rolled back', async () => {
    await t.database
      .transaction(async (transaction) => {
        await t.mail.queue(transaction, [{ template: 'invitation', subjectId: 'x' }]);
        throw new Error('rolled back');
      })
      .catch(() => {});
    expect(await jobStates()).toEqual([]);
  });
});

describe('a mail', () => {
  test('is sent again with the same Message-ID after a temporary refusal', async () => {
    refusals = [refusal(451, 'try again later'), refusal(452, 'too busy')];
    await work();
    const { id } = await inviteTo('ann@example.com');
    await expect
      .poll(() => shown(id), soon)
      .toMatchObject({
        mailState: 'queued',
        mailError: expect.stringContaining('try again later'),
      });
    await expect.poll(jobStates, soon).toEqual(['retry']);
    const [job] = await t.select<{ id: string; delay: number }>(
      'select id, extract(epoch from start_after - now())::float as delay from jobs.job',
    );
    expect(job?.delay).toBeGreaterThan(2);
    await makeJobsDue();
    await expect
      .poll(() => shown(id), soon)
      .toMatchObject({ mailError: expect.stringContaining('too busy') });
    await makeJobsDue();
    await expect.poll(() => shown(id), soon).toEqual({ mailState: 'sent', mailError: null });
    expect(received.map(({ mail }) => mail.messageId)).toEqual([`<${job?.id}@portal.example.com>`]);
  });

  test('is not sent again after a permanent refusal, and the list of invitations returns the refusal', async () => {
    refusals = [refusal(550, 'no such mailbox here')];
    await work();
    const lost = await inviteTo('unknown@example.com');
    await expect
      .poll(() => shown(lost.id), soon)
      .toEqual({
        mailState: 'failed',
        mailError: expect.stringContaining('550 no such mailbox here'),
      });
    await expect.poll(jobStates, soon).toEqual(['failed']);
    expect(received).toEqual([]);
    expect(failures).toEqual([[expect.stringContaining('550 no such mailbox here'), 'invitation']]);
  });

  test('is sent later if the server refuses the recipient for a reason that applies to every mail', async () => {
    const reasons = [
      '5.4.5 Daily user sending limit exceeded',
      '5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException',
      '5.2.252 SendAsDenied; portal@example.com not allowed to send as no-reply@example.com',
      '5.7.1 Relay access denied',
      '5.7.1 <no-reply@example.com>: Sender address rejected: not owned by user portal',
      '5.7.0 Please authenticate first',
      '5.7.1 Too many messages from this host',
    ];
    refusals = reasons.map((reason) => refusal(550, reason));
    await work();
    const { id } = await inviteTo('ann@example.com');
    for (const reason of reasons) {
      const mailError: unknown = expect.stringContaining(reason);
      await expect.poll(() => shown(id), soon).toEqual({ mailState: 'queued', mailError });
      await makeJobsDue();
    }
    await expect.poll(() => shown(id), soon).toEqual({ mailState: 'sent', mailError: null });
  });

  test.each([
    ['connection', refusal(554, 'no service for this network')],
    ['sender', refusal(550, 'sender not allowed')],
    ['sender', refusal(530, 'log in first')],
  ] as const)('is sent later if the server refuses the %s: %s', async (to, said) => {
    closed = { to, with: said };
    const reconnected = connect();
    await worker.work((mail, id) => reconnected.send(mail, id), templates());
    const { id } = await inviteTo('ann@example.com');
    await expect
      .poll(() => shown(id), soon)
      .toEqual({ mailState: 'queued', mailError: expect.stringContaining(said.message) });
    closed = null;
    await makeJobsDue();
    await expect.poll(() => shown(id), soon).toEqual({ mailState: 'sent', mailError: null });
    reconnected.close();
  });

  test('is sent after the site was stopped for months, even if the server is down at first', async () => {
    const { id } = await inviteTo('ann@example.com', { lifetimeDays: 365 });
    await t.select(
      "update jobs.job set start_after = now() - interval '300 days', keep_until = keep_until - interval '300 days'",
    );
    const executeSql = (sql: string, values: unknown[] = []) => t.database.query({ text: sql, values });
    const maintenance = new PgBoss({ db: { executeSql }, schema: 'jobs', schedule: false });
    maintenance.on('error', (error) => reportedErrors.push(error));
    await maintenance.start();
    await maintenance.supervise('mail');
    await maintenance.stop({ graceful: false });
    await work();
    await expect.poll(() => shown(id), soon).toEqual({ mailState: 'sent', mailError: null });
  });

  test('fails after the hundredth attempt', async () => {
    refusals = Array.from({ length: 3 }, () => refusal(451, 'greylisted for ever'));
    await work();
    const { id } = await inviteTo('ann@example.com');
    await expect.poll(jobStates, soon).toEqual(['retry']);
    // Simulates further failed attempts: the next one is the 99th.
    await t.select('update jobs.job set retry_count = 97');
    await makeJobsDue();
    await expect.poll(() => refusals.length, soon).toBe(1);
    await expect.poll(jobStates, soon).toEqual(['retry']);
    expect(await shown(id)).toMatchObject({ mailState: 'queued' });
    await makeJobsDue();
    await expect.poll(jobStates, soon).toEqual(['failed']);
    expect(await shown(id)).toMatchObject({
      mailState: 'failed',
      mailError: expect.stringContaining('greylisted for ever'),
    });
  });

  test('is sent at the next start if the server was down', async () => {
    const down = connectSmtp({
      url: 'smtp://127.0.0.1:9',
      connection: 'local',
      from: { name: '', address: 'door@example.com' },
    });
    await t.mail.work((mail, id) => down.send(mail, id), templates());
    const { id } = await inviteTo('ann@example.com');
    await expect
      .poll(() => shown(id), soon)
      .toMatchObject({
        mailState: 'queued',
        mailError: expect.stringContaining('ECONNREFUSED'),
      });
    const { timeline } = (await t.callAs(admin, getInvitation, { params: { invitationId: id } })).body;
    // No mail server has responded.
    expect(timeline.find(({ kind }) => kind === 'mail_failed')).toMatchObject({
      noteText: { code: 'mail_advice.unreachable' },
    });
    await t.mail.stop();
    down.close();
    await t.select("update jobs.job set start_after = now() + interval '30 minutes'");
    await work();
    await expect.poll(() => shown(id), soon).toEqual({ mailState: 'sent', mailError: null });
  });
});

test('a job with an unknown template stays in the queue for a newer version', async () => {
  await t.database.transaction((transaction) =>
    t.mail.queue(transaction, [{ template: 'later', subjectId: 'x' }]),
  );
  await work();
  await expect.poll(jobStates, soon).toEqual(['retry']);
});

test('no text of an invitation becomes a header, a recipient or markup', async () => {
  await work();
  // Written to the database, since the contract refuses most of these texts and the mail must not depend on it.
  const { id } = await inviteTo('ann@example.com');
  await t.select('delete from jobs.job');
  await t.select('update invitations set name = $2, message = $3 where id = $1', [
    id,
    'Ann\r\nBcc: evil@example.com\u2028X-Evil: 1 <evil@example.com>, "',
    '<img src=x onerror=alert(1)> <a href="https://evil.example">click</a>\r\n.\r\nMAIL FROM:<evil@example.com>',
  ]);
  await t.database.transaction((transaction) =>
    t.mail.queue(transaction, [{ template: 'invitation', subjectId: `${id}/1` }]),
  );
  await expect.poll(() => received.length, soon).toBe(1);
  const { raw, recipients, mail } = received[0] as (typeof received)[0];
  expect(recipients).toEqual(['ann@example.com']);
  const [head = ''] = raw.split('\r\n\r\n');
  const names = [...head.matchAll(/^([A-Za-z-]+):/gm)].map((match) => match[1]?.toLowerCase());
  expect(new Set(names)).toEqual(
    new Set([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
      'x-auto-response-suppress',
      'x-entity-ref-id',
    ]),
  );
  expect(mail.to?.map(({ address }) => address)).toEqual(['ann@example.com']);
  expect(mail.bcc).toBeUndefined();
  expect(mail.html).not.toMatch(/<img|<a href="https:\/\/evil/);
  expect(mail.html?.match(/<a /g)).toHaveLength(1);
});
