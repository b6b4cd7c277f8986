/** The queue of an installation that sends no mails (SMTP_URL=off): invitations are handed over by link. */
import type { MailQueue } from './mail-queue.ts';

export const noMail: MailQueue = {
  sends: false,
  start: () => Promise.resolve(),
  queue: () => Promise.resolve(),
  work: () => Promise.resolve(),
  stop: () => Promise.resolve(),
};
