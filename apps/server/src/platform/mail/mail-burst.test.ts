/** Many invitations at once, with a fast mail server and with one that is down for ten minutes (statement N). */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createBatch, getBatch } from '@vestibule/contract/invitations/batches';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestApp, type TestApp, type TestPerson } from '../../test/test-app.ts';
import { invitationMails } from '../../features/invitations/invitation-mail.ts';
import { createMailQueue, type MailQueue } from './mail-queue.ts';
import { connectSmtp } from './smtp.ts';

let t: TestApp;
let admin: TestPerson;
let worker: MailQueue;
let server: SMTPServer | null = null;
let port = 0;
let smtp: ReturnType<typeof connectSmtp>;
/** Message-IDs in the order of their arrival. */
let received: string[] = [];
/** Number of open connections, and its maximum. */
let connections = { now: 0, most: 0 };

async function startServer() {
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onConnect(_session, done) {
      connections.now += 1;
      connections.most = Math.max(connections.most, connections.now);
      done();
    },
    onClose() {
      connections.now -= 1;
    },
    onData(stream, _session, done) {
      void receive(stream, done);
    },
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  port = (server.server.address() as AddressInfo).port;
}
async function receive(stream: SMTPServerDataStream, done: () => void) {
  received.push(/^Message-ID: (.+)$/im.exec(await text(stream))?.[1] ?? 'none');
  done();
}
async function stopServer() {
  await new Promise<void>((resolve) => (server ? server.close(resolve) : resolve()));
  server = null;
}

beforeEach(async () => {
  received = [];
  connections = { now: 0, most: 0 };
  t = await createTestApp();
  admin = await t.join('admin@example.com', 'admin');
  await startServer();
  smtp = connectSmtp({
    url: `smtp://127.0.0.1:${port}`,
    connection: 'local',
    from: { name: 'Portal', address: 'door@example.com' },
  });
  worker = createMailQueue(t.database, 'portal.example.com', () => {});
  await worker.start();
});
afterEach(async () => {
  await worker.stop();
  smtp.close();
  await stopServer();
  await t.close();
});

const work = () =>
  worker.work(
    (mail, id) => smtp.send(mail, id),
    invitationMails({ ...t, publicUrl: t.config.publicUrl, now: t.clock.now }),
  );
async function inviteGuests(count: number): Promise<string> {
  const rows = Array.from({ length: count }, (_, number) => ({ email: `guest-${number}@example.com` }));
  const { body } = await t.callAs(admin, createBatch, {
    headers: { 'idempotency-key': 'rush' },
    body: { rows },
  });
  expect(body.counts.created).toBe(count);
  return body.id;
}
const mailsOf = async (batchId: string) =>
  (await t.callAs(admin, getBatch, { params: { batchId } })).body.mails;
const allSent = (count: number) => ({ none: 0, queued: 0, sent: count, failed: 0 });

test('two hundred mails are each sent once, over at most three connections', async () => {
  const count = 200;
  const id = await inviteGuests(count);
  await work();
  await expect.poll(() => mailsOf(id)).toEqual(allSent(count));
  expect(new Set(received).size).toBe(count);
  expect(received).toHaveLength(count);
  expect(connections.most).toBeGreaterThan(1);
  expect(connections.most).toBeLessThanOrEqual(3);
});

test('a mail server that is down for ten minutes receives each of eight invitations once', async () => {
  await stopServer();
  await work();
  const count = 8;
  const id = await inviteGuests(count);
  const jobsIn = async (condition: string) =>
    (await t.select<{ n: number }>(`select count(*)::int as n from jobs.job where ${condition}`))[0]?.n;
  const waitUntilIdle = async () => {
    const busy = "state in ('created', 'active') or (state = 'retry' and start_after <= now())";
    await expect.poll(() => jobsIn(busy)).toBe(0);
  };
  // Simulates a minute by making waiting jobs due a minute earlier.
  const advanceMinute = () =>
    t.select("update jobs.job set start_after = start_after - interval '1 minute' where state = 'retry'");
  for (let minute = 0; minute < 10; minute += 1) {
    await waitUntilIdle();
    await advanceMinute();
  }
  await waitUntilIdle();
  expect(await jobsIn("state = 'retry' and retry_count >= 5")).toBe(count);
  expect(received).toEqual([]);
  await startServer();
  for (let minute = 0; minute < 30 && (await jobsIn("state = 'retry'")) !== 0; minute += 1) {
    await advanceMinute();
    await waitUntilIdle();
  }
  expect(await mailsOf(id)).toEqual(allSent(count));
  expect(new Set(received).size).toBe(count);
  expect(received).toHaveLength(count);
});

test('an urgent mail is sent while a slow server receives a batch of others', async () => {
  const urgentMail = Promise.withResolvers<void>();
  const templates = {
    slow: { write: () => urgentMail.promise.then(() => null) },
    urgent: {
      write() {
        urgentMail.resolve();
        return Promise.resolve(null);
      },
    },
  };
  const slowMails = Array.from({ length: 200 }, (_, index) => ({
    template: 'slow',
    subjectId: String(index),
  }));
  await worker.queue(t.database, slowMails);
  await worker.work(() => Promise.resolve(), templates);
  const jobsIn = async (state: string) =>
    (await t.select<{ n: number }>`select count(*)::int as n from jobs.job where state = ${state}`)[0]?.n;
  await expect.poll(() => jobsIn('active')).toBe(100);
  await worker.queue(t.database, [{ template: 'urgent', subjectId: 'code', isUrgent: true }]);
  await expect.poll(() => jobsIn('completed')).toBe(201);
});

test('fetching queued mails does not compare each mail with every other, even if the table statistics are those of an empty queue', async () => {
  const taken: Parameters<typeof t.database.query>[0][] = [];
  const watched: typeof t.database = {
    ...t.database,
    query(query) {
      // Of pg-boss's statements with SKIP LOCKED, only fetching leaves out blocked jobs. Urgent mails have a minimum priority.
      const isFetch = /NOT j\.blocked\b.*SKIP LOCKED/s.test(query.text);
      if (isFetch && !query.text.includes('j.priority >=')) taken.push(query);
      return t.database.query(query);
    },
  };
  const quiet = createMailQueue(watched, 'portal.example.com', () => {});
  await quiet.start();
  await quiet.work(() => Promise.resolve(), {});
  await expect.poll(() => taken).not.toEqual([]);
  await quiet.stop();
  const queueMails = (mails: number) =>
    worker.queue(
      t.database,
      Array.from({ length: mails }, (_, index) => ({ template: 'quick', subjectId: String(index) })),
    );
  await queueMails(1_000);
  await t.select('delete from jobs.job');
  await t.select('analyze jobs.job_common');
  await queueMails(2_000);
  const [explained] = await t.select<{ 'QUERY PLAN': object[] }>(
    `explain (analyze, format json) ${taken[0]?.text}`,
    [...(taken[0]?.values ?? [])],
  );
  const plan = JSON.stringify(explained?.['QUERY PLAN']);
  expect(plan).toContain('"Actual Rows":100');
  const compared = [...plan.matchAll(/"Rows Removed by Join Filter":(\d+)/g)].map(([, rows]) => Number(rows));
  expect(Math.max(0, ...compared)).toBeLessThan(1_000);
});
