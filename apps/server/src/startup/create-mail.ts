/** Opens the configured mail server or the development mailbox, or disables mail. */
import type { Logger } from 'pino';
import type { SendImmediately } from '../features/settings/mails.ts';
import type { SettingsStore } from '../features/settings/settings-store.ts';
import { isReservedDomain } from '../platform/config/addresses.ts';
import type { Config } from '../platform/config/read-config.ts';
import type { Database } from '../platform/database/database.ts';
import {
  createMailQueue,
  noMail,
  type Mail,
  type MailQueue,
  type SendMail,
} from '../platform/mail/mail-queue.ts';
import { connectSmtp, mailConnectionTo } from '../platform/mail/smtp.ts';
import type { Tracer } from '../platform/telemetry/current-span.ts';
import { importDevelopmentService, waitUntilListening } from './startup-errors.ts';

export async function createMail(
  deps: {
    config: Config;
    database: Database;
    settings: SettingsStore;
    logger: Logger;
    tracer: Tracer | undefined;
  },
  onClose: (close: () => unknown) => void,
): Promise<{
  mail: MailQueue;
  sendNow: SendImmediately | null;
  sendMail: SendMail;
  mailboxUrl: string | null;
}> {
  const { config, database, settings, logger, tracer } = deps;
  const mailbox =
    config.mailbox && (await startMailbox({ ...config.mailbox, host: config.developmentPartsHost }));
  if (mailbox) onClose(() => mailbox.close());
  const smtpUrl = config.smtpUrl ?? mailbox?.smtpUrl ?? null;
  if (smtpUrl === null) return { mail: noMail, sendNow: null, sendMail: printMail, mailboxUrl: null };

  const siteName = new URL(config.publicUrl).hostname;
  const smtp = connectSmtp({
    url: smtpUrl,
    clientName: siteName,
    connection: mailConnectionTo(smtpUrl, config.smtpAllowsPlainText),
    async from() {
      const { senderName: name, senderAddress: address, supportEmail } = await settings.current();
      // The sender is often a mailbox that is not read. The default support address has a reserved domain.
      return { name, address, replyTo: isReservedDomain(supportEmail) ? undefined : supportEmail };
    },
  });
  onClose(() => smtp.close());
  const mail = createMailQueue(
    database,
    siteName,
    (error) => logger.warn({ err: error }, 'the mail queue failed'),
    tracer,
    logFailedMails(logger, Date.now),
  );
  await mail.start();
  onClose(() => mail.stop());
  const sendNow: SendImmediately = (written, messageId) => smtp.send(written, messageId);
  return { mail, sendNow, sendMail: sendNow, mailboxUrl: mailbox?.url ?? null };
}

const failureLogMs = 60_000;

/** Returns a function that logs failed attempts, at most one a minute: an unavailable mail server fails all waiting mails. */
export function logFailedMails(
  logger: Pick<Logger, 'warn'>,
  now: () => number,
): (message: string, template: string) => void {
  let nextAt = 0;
  let skipped = 0;
  return (message, template) => {
    if (now() < nextAt) {
      skipped += 1;
      return;
    }
    logger.warn({ template, ...(skipped > 0 && { skipped }) }, `a mail was not sent: ${message}`);
    nextAt = now() + failureLogMs;
    skipped = 0;
  };
}

async function startMailbox(options: {
  smtpPort: number;
  httpPort: number;
  host: string;
  directory: string | undefined;
}) {
  const { startDevMailbox } = await importDevelopmentService(
    () => import('@vestibule/dev-mailbox'),
    'The mailbox for development is not part of this installation. Set SMTP_URL to your mail server, or to off to send no mails.',
  );
  return waitUntilListening(
    // The configuration has checked that a public host is permitted.
    startDevMailbox(options),
    { MAILBOX_SMTP_PORT: options.smtpPort, MAILBOX_PORT: options.httpPort },
    'DEVELOPMENT_PARTS_HOST',
  );
}

/** Delivers the embedded provider's codes, also if mail is disabled. */
function printMail({ to, subject, text }: Mail): Promise<void> {
  console.log(`\nMail to ${to.address}: ${subject}\n${text}`);
  return Promise.resolve();
}
