/** Queue for SMTP_URL=off: no mails are sent, administrators pass on invitation links. */
import type { MailQueue } from './mail-queue.ts';

export const noMail: MailQueue = {
  sends: false,
  start: () => Promise.resolve(),
  queue: () => Promise.resolve(),
  counts: () => Promise.resolve({ waiting: 0, retrying: 0, failed: 0 }),
  work: () => Promise.resolve(),
  stop: () => Promise.resolve(),
};
