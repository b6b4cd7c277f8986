/** The queue of an installation that sends no mails (SMTP_URL=off): invitations are handed over by link. */
import type { MailQueue } from './mail-queue.ts';

export const noMail: MailQueue = {
  sends: false,
  start: () => Promise.resolve(),
  queue: () => Promise.resolve(),
  counts: () => Promise.resolve({ waiting: 0, retrying: 0, failed: 0 }),
  work: () => Promise.resolve(),
  stop: () => Promise.resolve(),
};
