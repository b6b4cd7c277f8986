/**
 * The outbox: a mail is a job written in the same transaction as the change that causes it, and a worker of any
 * server process sends it. A job names its template and a subject's id, never a link: codes are not stored.
 */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { randomUUID } from 'node:crypto';
import { PgBoss, type ConnectionOptions, type JobResult, type JobWithMetadata } from 'pg-boss';
import { openDatabase, rowsOf, type Database, type Queryable } from '../database/database.ts';
import { spanAtWork, type Span, type Tracer } from '../telemetry/span-at-work.ts';

export type Mail = { to: { name: string; address: string }; subject: string; text: string; html: string };

/** Hands a mail to the mail server. `messageId` is stable over retries, so that a mail sent twice is recognised. */
export type SendMail = (mail: Mail, messageId: string) => Promise<unknown>;

export type MailTemplate = {
  /** Writes the mail; null when it is no longer wanted, for example because the invitation was revoked. */
  write(subjectId: string): Promise<Mail | null>;
  /** Told how sending went. `error` is what the mail server said; `final` when it will not be tried again. */
  sent(subjectId: string): Promise<void>;
  failed(subjectId: string, error: string, final: boolean): Promise<void>;
};

export type MailJob = {
  template: string;
  subjectId: string;
  /** Waits so long, because what it tells may be taken back meanwhile. */
  afterSeconds?: number;
  /** The span that caused it (W3C Trace Context), where that is not the one at work. */
  traceparent?: string | undefined;
};

/** What stands in the outbox. */
type QueuedMail = Omit<MailJob, 'afterSeconds'>;

export type MailQueue = {
  /** Whether mails are sent at all; without, the mail state of an invitation is 'none'. */
  readonly sends: boolean;
  start(): Promise<void>;
  /** Puts mails into the outbox, inside the caller's transaction. */
  queue(transaction: Queryable, jobs: MailJob[]): Promise<void>;
  /** How many mails of the site wait, are tried again, and were given up. */
  counts(): Promise<Record<'waiting' | 'retrying' | 'failed', number>>;
  /** Begins sending with this process. */
  work(send: SendMail, templates: Record<string, MailTemplate>): Promise<void>;
  stop(): Promise<void>;
};

/** A mail that a backup was made before. Its id stays, and with it the Message-ID. */
export type WaitingMail = { id: string; data: QueuedMail; startAfter: string };

/** Makes the tables of the queue as the database's owner, where the application's role may not; what waits goes into them with a transaction. */
export async function installMailQueue(
  ownerUrl: string,
  waiting?: { mails: WaitingMail[]; transaction: Queryable },
): Promise<void> {
  const database = openDatabase(ownerUrl, { maxConnections: 2 });
  const boss = createBoss(database);
  boss.on('error', () => {});
  try {
    await startBoss(boss);
    if (waiting && waiting.mails.length > 0)
      await boss.insert(mailQueueName, waiting.mails, inside(waiting.transaction));
    await boss.stop({ graceful: true, timeout: 5_000 });
  } finally {
    await database.end();
  }
}

const mailQueueName = 'mail';
const attempts = 12;
const batchSize = 100;
/** Sent mails belong to the trace of the request that caused them, unless it caused more: nobody reads a trace of thousands. */
const mostTracedTogether = 20;
/** Mails of a batch that are written and sent at the same time; the pool of connections is the narrower place. */
const lanes = 10;
const queueOptions = {
  retryLimit: attempts - 1,
  // 5 s, 10 s, 20 s … 30 minutes: about two hours in all.
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 1800,
  // A batch in front of a slow server takes its time, and must not be taken over meanwhile: mails would go twice.
  // Of a process that was killed, the heartbeat tells soon enough.
  expireInSeconds: 900,
  heartbeatSeconds: 60,
};

function createBoss(database: Database): PgBoss {
  return new PgBoss({
    db: { executeSql: (text, values) => database.query({ text, ...(values && { values }) }) },
    schema: 'jobs',
    // Nothing runs by the clock, and a queue of mails needs no rebuilt indexes.
    schedule: false,
    reindex: false,
    monitorVacuum: false,
  });
}

async function startBoss(boss: PgBoss): Promise<void> {
  await boss.start();
  await boss.createQueue(mailQueueName, queueOptions);
  // An earlier version may have made it with others.
  await boss.updateQueue(mailQueueName, queueOptions);
  // Reads the queue's settings into memory. Read by the first `queue`, they would need a second connection
  // while its transaction holds one, and many first ones together would wait for each other.
  await boss.getJobById(mailQueueName, randomUUID());
}

/** Writes into the outbox inside a transaction. It is always the same statement, so it is worth preparing. */
const inside = (transaction: Queryable): ConnectionOptions => ({
  db: {
    executeSql: (text, values) => transaction.query({ name: 'queue-mails', text, ...(values && { values }) }),
  },
});

/** `onError` hears of trouble in the queue itself, such as a lost database. */
export function createMailQueue(
  database: Database,
  messageHost: string,
  onError: (error: Error) => void,
  tracer?: Tracer,
): MailQueue {
  const boss = createBoss(database);
  boss.on('error', onError);
  return {
    sends: true,
    start: () => startBoss(boss),
    async queue(transaction, jobs) {
      await boss.insert(mailQueueName, asQueued(jobs), inside(transaction));
    },
    async counts() {
      const rows = await rowsOf<Record<'waiting' | 'retrying' | 'failed', number>>(database, {
        name: 'count-mails',
        text: `select count(*) filter (where state in ('created', 'active')) as waiting,
                 count(*) filter (where state = 'retry') as retrying, count(*) filter (where state = 'failed') as failed
               from jobs.job where name = '${mailQueueName}' and state in ('created', 'active', 'retry', 'failed')`,
      });
      return rows[0] ?? { waiting: 0, retrying: 0, failed: 0 };
    },
    async work(send, templates) {
      const options = {
        perJobResults: true,
        includeMetadata: true,
        batchSize,
        // No job is in a group, so this limits nothing. But the library's statement then looks up each job that it has chosen. Without,
        // PostgreSQL compares each with all that wait while it knows nothing of them yet, as in a rush after a quiet hour.
        groupConcurrency: 1,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: 0.5,
      } as const;
      await boss.work(mailQueueName, options, (jobs: JobWithMetadata<QueuedMail>[]) =>
        sendBatch(jobs, send, templates),
      );
    },
    stop: () => boss.stop({ graceful: true, timeout: 5_000 }),
  };

  async function sendBatch(
    jobs: JobWithMetadata<QueuedMail>[],
    send: SendMail,
    templates: Record<string, MailTemplate>,
  ): Promise<JobResult[]> {
    const results: JobResult[] = [];
    const waiting = jobs.values();
    // A server that cannot be reached is not asked for every mail: the others of the batch wait with the first.
    let unreachable: unknown;
    const sendIfReachable: SendMail = async (mail, messageId) => {
      if (unreachable !== undefined) throw unreachable;
      try {
        await send(mail, messageId);
      } catch (error) {
        if (isUnreachable(error)) unreachable = error;
        throw error;
      }
    };
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        for (const job of waiting)
          results.push(await sendTraced(job, sendIfReachable, templates[job.data.template]));
      }),
    );
    return results;
  }

  async function sendTraced(
    job: JobWithMetadata<QueuedMail>,
    ...rest: [SendMail, MailTemplate | undefined]
  ): Promise<JobResult> {
    const span = tracer && beginSpan(tracer, job);
    const result = await spanAtWork.run(span, () => sendOne(job, ...rest));
    span?.end(result.status === 'completed' ? {} : { error: result.status });
    return result;
  }

  async function sendOne(
    job: JobWithMetadata<QueuedMail>,
    send: SendMail,
    template: MailTemplate | undefined,
  ): Promise<JobResult> {
    const { subjectId } = job.data;
    if (!template) return { id: job.id, status: 'failed', output: { message: 'unknown template' } };
    try {
      const mail = await template.write(subjectId);
      if (mail) {
        await send(mail, `<${job.id}@${messageHost}>`);
        await template.sent(subjectId);
      }
      return { id: job.id, status: 'completed' };
    } catch (error) {
      const permanent = isPermanent(error);
      const message = describeMailError(error);
      // What cannot be written down now is told by the next attempt; the other mails are not held up.
      await template
        .failed(subjectId, message, permanent || job.retryCount >= attempts - 1)
        .catch((cause: unknown) => onError(cause as Error));
      // 'deadletter' is a failure without further attempts.
      return { id: job.id, status: permanent ? 'deadletter' : 'failed', output: { message } };
    }
  }
}

/** Jobs as they stand in the outbox, with what they are caused by. */
function asQueued(jobs: MailJob[]): { data: QueuedMail; startAfter?: number }[] {
  const isTraced = jobs.length <= mostTracedTogether;
  const atWork = spanAtWork.getStore()?.traceparent;
  return jobs.map(({ template, subjectId, afterSeconds, traceparent = atWork }) => ({
    data: { template, subjectId, ...(isTraced && traceparent !== undefined && { traceparent }) },
    ...(afterSeconds !== undefined && { startAfter: afterSeconds }),
  }));
}

/** Of one attempt to send a mail, in the trace of what caused it. */
function beginSpan(tracer: Tracer, { data, retryCount }: JobWithMetadata<QueuedMail>): Span | undefined {
  return tracer.begin(data.traceparent, () => ({
    name: 'send mail',
    kind: 'consumer',
    attributes: {
      'messaging.destination.name': mailQueueName,
      'vestibule.mail_template': data.template,
      'vestibule.attempt': retryCount + 1,
    },
  }));
}

/** What nodemailer calls errors of the connection, which say nothing about the mail. */
const unreachableCodes = new Set(
  'ECONNECTION ECONNREFUSED ESOCKET ETIMEDOUT EDNS ETLS EAUTH ENOAUTH EPROXY EPROTOCOL'.split(' '),
);

/** The sender is the same for every mail: whoever refuses it takes none. */
function isUnreachable(error: unknown): boolean {
  const { code = '', command } = error as { code?: string; command?: string };
  return unreachableCodes.has(code) || command === 'MAIL FROM';
}

/** The server refused this recipient or this mail for good (RFC 5321, section 4.2.1: 5yz). Greeting, log-in and sender may be mended. */
function isPermanent(error: unknown): boolean {
  const { responseCode = 0, command } = error as { responseCode?: number; command?: string };
  return responseCode >= 500 && responseCode < 600 && (command === 'RCPT TO' || command === 'DATA');
}

/** What the mail server said, or else what went wrong on the way; short enough for a grid. */
export function describeMailError(error: unknown): string {
  const { response, message } = error as { response?: string; message?: string };
  return cutText(response ?? message ?? 'unknown error', 500);
}
