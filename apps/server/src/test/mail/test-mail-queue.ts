import { openDatabase, type Database } from '../../platform/database/database.ts';
import { createMailQueue, type MailQueue } from '../../platform/mail/mail-queue.ts';
import { longTimeouts } from '../database/test-database.ts';

const messageHost = 'portal.example.com';

let outbox: Promise<MailQueue> | undefined;

/**
 * Adds the mails of all applications of the test worker, in the transaction of each. Adding needs only the settings of the queue,
 * which are read at the start and are the same in every test database. So it stops again.
 */
async function startOutbox(databaseUrl: string): Promise<MailQueue> {
  const database = openDatabase(databaseUrl, longTimeouts);
  const queue = createMailQueue(database, messageHost, () => {});
  await queue.start();
  await queue.stop();
  await database.end();
  return queue;
}

/** Creates the mail queue of an application. It starts, which takes three connections, when a test starts its worker. */
export async function createTestMailQueue(database: Database, databaseUrl: string): Promise<MailQueue> {
  const mail = createMailQueue(database, messageHost, () => {});
  const started = await (outbox ??= startOutbox(databaseUrl));
  return {
    ...mail,
    queue: (transaction, jobs) => started.queue(transaction, jobs),
    async work(send, templates) {
      await mail.start();
      await mail.work(send, templates);
    },
  };
}
