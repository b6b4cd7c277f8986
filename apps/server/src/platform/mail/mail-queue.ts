/**
 * The outbox: a mail is a job written in the transaction of the change that causes it, and a worker of any server
 * process sends it. A job contains the name of a template and the id of the invitation, person or other object that the mail is
 * about, but never a link: codes are not stored.
 */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { randomUUID } from 'node:crypto';
import { PgBoss, type ConnectionOptions, type JobResult, type JobWithMetadata } from 'pg-boss';
import {
  execute,
  openDatabase,
  rawSql,
  rowsOf,
  type Database,
  type Queryable,
} from '../database/database.ts';
import { generalRefusals } from './general-refusals.ts';
import { currentSpan, type Span, type Tracer } from '../telemetry/current-span.ts';

export type Mail = { to: { name: string; address: string }; subject: string; text: string; html: string };

/** Sends a mail to the mail server. `messageId` is stable over retries, so that duplicates can be recognized. */
export type SendMail = (mail: Mail, messageId: string) => Promise<unknown>;

/** Job whose mail is written. A template that queues a mail per recipient derives their jobs from it. */
export type CurrentMailJob = { id: string; recipientId?: string | undefined };

export type MailTemplate = {
  /** Returns the mail; null if it is obsolete, for example because the invitation was revoked. */
  write(subjectId: string, job?: CurrentMailJob): Promise<Mail | null>;
  /** Records the result, if the mail's subject has a state. `error` is the mail server's message; `final`: no further attempt follows. */
  sent?(subjectId: string): Promise<void>;
  failed?(subjectId: string, error: string, final: boolean): Promise<void>;
};

export type MailJob = {
  /** A job whose id is in the queue already is not added. Default: a new id. */
  id?: string;
  template: string;
  subjectId: string;
  /** Person who gets the mail, for a template that queues a mail per recipient. */
  recipientId?: string;
  /** Delay of the mail, so that the action that causes it can be undone without a mail. */
  afterSeconds?: number;
  /** A person waits for the mail: it is sent before other mails, beside a batch that is being sent. */
  isUrgent?: boolean;
  /** Trace context (W3C) of the request that causes the mail. By default, that of the current span. */
  traceparent?: string | undefined;
};

/** Payload of a stored job. */
type QueuedMail = Omit<MailJob, 'id' | 'afterSeconds' | 'isUrgent'>;

export type MailQueue = {
  /** Whether mail is enabled; otherwise the mail state of an invitation is 'none'. */
  readonly sends: boolean;
  start(): Promise<void>;
  /** Adds mails to the outbox, inside the caller's transaction. */
  queue(transaction: Queryable, jobs: MailJob[]): Promise<void>;
  /** Counts the site's mails by state, without those that are due later. */
  counts(): Promise<Record<'waiting' | 'retrying' | 'failed', number>>;
  /** Starts the worker of this process. */
  work(send: SendMail, templates: Record<string, MailTemplate>): Promise<void>;
  stop(): Promise<void>;
};

/** Queue for SMTP_URL=off: no mails are sent, administrators pass on invitation links. */
export const noMail: MailQueue = {
  sends: false,
  start: () => Promise.resolve(),
  queue: () => Promise.resolve(),
  counts: () => Promise.resolve({ waiting: 0, retrying: 0, failed: 0 }),
  work: () => Promise.resolve(),
  stop: () => Promise.resolve(),
};

/** Waiting mail from a backup. It keeps its id, and therefore its Message-ID. */
export type QueuedJob = { id: string; data: QueuedMail; startAfter: string };

/** Creates the queue's tables as the database's owner, and adds the waiting mails of a backup. */
export async function installMailQueue(
  ownerUrl: string,
  restored?: { mails: QueuedJob[]; transaction: Queryable },
): Promise<void> {
  const database = openDatabase(ownerUrl, { maxConnections: 2 });
  const boss = createBoss(database);
  boss.on('error', () => {});
  try {
    await startBoss(boss);
    if (restored && restored.mails.length > 0)
      await boss.insert(mailQueueName, restored.mails, inside(restored.transaction));
    await boss.stop({ graceful: true, timeout: 5_000 });
  } finally {
    await database.end();
  }
}

const mailQueueName = 'mail';
/**
 * Mail servers reject mails for hours: a rate limit of Microsoft 365 (30 mails a minute) with a list of thousands, an expired password
 * on a weekend. RFC 5321, section 4.5.4.1, recommends four to five days for forwarding; the sender learns of a failure sooner here.
 */
const attempts = 100;
const batchSize = 100;
/** Mails up to this number join the trace of the request that caused them; larger traces would be unreadable. */
const maxTracedJobs = 20;
/** Priority of urgent mails; that of others is 0. */
const urgentPriority = 1;
/** Concurrent mails of a batch; the database pool is the bottleneck. */
const concurrentMails = 10;
const queueOptions = {
  retryLimit: attempts - 1,
  // 5 s, 10 s, 20 s … 30 minutes: about two days in all.
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 1800,
  // A batch at a slow server must not expire, since its mails would be sent twice. The heartbeat detects killed processes.
  expireInSeconds: 6 * 3600,
  heartbeatSeconds: 60,
  // Waiting mails are not deleted while the site is stopped, for at least the longest lifetime of an invitation.
  retentionSeconds: 2 * 365 * 24 * 3600,
};

const createBoss = (database: Database): PgBoss =>
  new PgBoss({
    db: { executeSql: (text, values) => database.query({ text, ...(values && { values }) }) },
    schema: 'jobs',
    // No scheduled jobs are used, and the queue needs no index rebuilds.
    schedule: false,
    reindex: false,
    monitorVacuum: false,
  });

async function startBoss(boss: PgBoss): Promise<void> {
  await boss.start();
  // The application's role must not create queues.
  if ((await boss.getQueue(mailQueueName)) === null) await boss.createQueue(mailQueueName, queueOptions);
  // An earlier version may have created it with other options.
  await boss.updateQueue(mailQueueName, queueOptions);
  // Caches the queue's settings. Loaded by the first `queue`, they would need a second connection inside its
  // transaction, and concurrent first calls could exhaust the pool.
  await boss.getJobById(mailQueueName, randomUUID());
}

/** Runs the queue's statement inside a transaction. The statement is always the same, so it is prepared. */
const inside = (transaction: Queryable): ConnectionOptions => ({
  db: {
    executeSql: (text, values) => transaction.query({ name: 'queue-mails', text, ...(values && { values }) }),
  },
});

/** `onError` is called for errors of the queue itself, such as a lost database; `onFailedMail` for each failed attempt to send a mail. */
export function createMailQueue(
  database: Database,
  messageHost: string,
  onError: (error: Error) => void,
  tracer?: Tracer,
  onFailedMail: (message: string, template: string) => void = () => {},
): MailQueue {
  const boss = createBoss(database);
  boss.on('error', onError);
  return {
    sends: true,
    start: () => startBoss(boss),
    async queue(transaction, jobs) {
      await boss.insert(mailQueueName, toQueuedMails(jobs), inside(transaction));
    },
    async counts() {
      const rows = await rowsOf<Record<'waiting' | 'retrying' | 'failed', number>>(database, {
        name: 'count-mails',
      })`
        select count(*) filter (where state = 'active' or (state = 'created' and start_after <= now())) as waiting,
          count(*) filter (where state = 'retry') as retrying, count(*) filter (where state = 'failed') as failed
        from jobs.job where name = '${rawSql(mailQueueName)}' and state in ('created', 'active', 'retry', 'failed')`;
      return rows[0] ?? { waiting: 0, retrying: 0, failed: 0 };
    },
    async work(send, templates) {
      const options = {
        perJobResults: true,
        includeMetadata: true,
        batchSize,
        // No job has a group, so this limits nothing. But the library's statement then looks up each chosen job.
        // Otherwise PostgreSQL, with outdated statistics after a quiet hour, compares each with all waiting jobs.
        groupConcurrency: 1,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: 0.5,
      } as const;
      const sendJobs = (jobs: JobWithMetadata<QueuedMail>[]) => sendBatch(jobs, send, templates);
      // The mail server may have been corrected by the restart.
      await execute(database)`
        update jobs.job set start_after = now() where name = '${rawSql(mailQueueName)}' and state = 'retry'`;
      await boss.work(mailQueueName, options, sendJobs);
      await boss.work(mailQueueName, { ...options, minPriority: urgentPriority }, sendJobs);
    },
    stop: () => boss.stop({ graceful: true, timeout: 5_000 }),
  };

  async function sendBatch(
    jobs: JobWithMetadata<QueuedMail>[],
    send: SendMail,
    templates: Record<string, MailTemplate>,
  ): Promise<JobResult[]> {
    const results: JobResult[] = [];
    const remainingJobs = jobs.values();
    // After a connection error the remaining mails of the batch fail without an attempt.
    let unreachableError: unknown;
    const sendIfReachable: SendMail = async (mail, messageId) => {
      if (unreachableError !== undefined) throw unreachableError;
      try {
        await send(mail, messageId);
      } catch (error) {
        if (isUnreachable(error)) unreachableError = error;
        throw error;
      }
    };
    await Promise.all(
      Array.from({ length: concurrentMails }, async () => {
        for (const job of remainingJobs)
          results.push(await sendTraced(job, sendIfReachable, templates[job.data.template]));
      }),
    );
    return results;
  }

  async function sendTraced(
    job: JobWithMetadata<QueuedMail>,
    ...rest: [SendMail, MailTemplate | undefined]
  ): Promise<JobResult> {
    const span = tracer && startSpan(tracer, job);
    const result = await currentSpan.run(span, () => sendOne(job, ...rest));
    span?.end(result.status === 'completed' ? {} : { error: result.status });
    return result;
  }

  async function sendOne(
    job: JobWithMetadata<QueuedMail>,
    send: SendMail,
    template: MailTemplate | undefined,
  ): Promise<JobResult> {
    const { subjectId, recipientId } = job.data;
    if (!template) return { id: job.id, status: 'failed', output: { message: 'unknown template' } };
    try {
      const mail = await template.write(subjectId, { id: job.id, recipientId });
      if (mail) {
        await send(mail, `<${job.id}@${messageHost}>`);
        await template.sent?.(subjectId);
      }
      return { id: job.id, status: 'completed' };
    } catch (error) {
      const permanent = isPermanent(error);
      const message = describeMailError(error);
      onFailedMail(message, job.data.template);
      // The next attempt records the failure; other mails are not delayed.
      await template
        .failed?.(subjectId, message, permanent || job.retryCount >= job.retryLimit)
        .catch((cause: unknown) => onError(cause as Error));
      // 'deadletter' is a failure without further attempts.
      return { id: job.id, status: permanent ? 'deadletter' : 'failed', output: { message } };
    }
  }
}

/** Converts jobs to payloads, with the trace context of the request that causes the mail. */
function toQueuedMails(
  jobs: MailJob[],
): { id?: string; data: QueuedMail; startAfter?: number; priority?: number }[] {
  const isTraced = jobs.length <= maxTracedJobs;
  const currentTraceparent = currentSpan.getStore()?.traceparent;
  return jobs.map(({ id, afterSeconds, isUrgent, traceparent = currentTraceparent, ...data }) => ({
    ...(id !== undefined && { id }),
    data: { ...data, ...(isTraced && traceparent !== undefined && { traceparent }) },
    ...(afterSeconds !== undefined && { startAfter: afterSeconds }),
    ...(isUrgent && { priority: urgentPriority }),
  }));
}

/** Starts the span of one attempt, in the trace of the request that queued the mail. */
const startSpan = (tracer: Tracer, { data, retryCount }: JobWithMetadata<QueuedMail>): Span | undefined =>
  tracer.startSpan(data.traceparent, () => ({
    name: 'send mail',
    kind: 'consumer',
    attributes: {
      'messaging.destination.name': mailQueueName,
      'vestibule.mail_template': data.template,
      'vestibule.attempt': retryCount + 1,
    },
  }));

/** nodemailer's codes of connection errors, which do not concern the mail. */
const unreachableCodes = new Set(
  'ECONNECTION ECONNREFUSED ESOCKET ETIMEDOUT EDNS ETLS EAUTH ENOAUTH EPROXY EPROTOCOL'.split(' '),
);

/** Returns whether an error affects every mail: the mail server is unreachable or rejects the sender. */
function isUnreachable(error: unknown): boolean {
  const { code = '', command } = error as { code?: string; command?: string };
  return unreachableCodes.has(code) || command === 'MAIL FROM';
}

/**
 * Returns whether the server permanently rejected this recipient or mail (RFC 5321, section 4.2.1: 5yz). Errors of
 * greeting, log-in and sender can be fixed and are retried, as are mails over a daily limit.
 */
function isPermanent(error: unknown): boolean {
  type Rejection = { responseCode?: number; command?: string; response?: string };
  const { responseCode = 0, command, response = '' } = error as Rejection;
  const isRejected =
    responseCode >= 500 && responseCode < 600 && (command === 'RCPT TO' || command === 'DATA');
  const isGeneral = [...Object.values(generalRefusals), /quota|limit|relay/i].some((words) =>
    words.test(response),
  );
  return isRejected && !isGeneral;
}

/** Returns the mail server's response or the error message, shortened for a grid. */
export function describeMailError(error: unknown): string {
  const { response, message } = error as { response?: string; message?: string };
  return cutText(response ?? message ?? 'unknown error', 500);
}
