/** Sends mails through SMTP (nodemailer). */
import { createTransport } from 'nodemailer';
import type { Mail } from './mail-queue.ts';

type Sender = { name: string; address: string };

/**
 * `url` is smtp:// or smtps://; `from` the sender, or what gives it for each mail. Connections are pooled; waiting
 * ends after 20 s.
 */
export function connectSmtp(options: { url: string; from: Sender | (() => Promise<Sender>) }) {
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
    /** Gives the mail server's reply. */
    async send(mail: Mail, messageId: string): Promise<string> {
      const from = typeof options.from === 'function' ? await options.from() : options.from;
      const { response } = await transport.sendMail({ ...mail, from, messageId });
      return response;
    },
    close: () => transport.close(),
  };
}
