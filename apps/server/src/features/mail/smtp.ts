/** Sends mails through SMTP (nodemailer). */
import { createTransport } from 'nodemailer';
import type { Mail } from './mail-queue.ts';

/** `url` is smtp:// or smtps://; `from` an address. Connections are pooled; waiting ends after 20 s. */
export function connectSmtp(options: { url: string; from: { name: string; address: string } }) {
  const transport = createTransport({
    url: options.url,
    pool: true,
    maxConnections: 5,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail: Mail, messageId: string): Promise<void> {
      await transport.sendMail({ ...mail, from: options.from, messageId });
    },
    close: () => transport.close(),
  };
}
