/** Sends mails through SMTP (nodemailer), encrypted unless the server is on this machine or SMTP_ALLOW_PLAIN_TEXT permits otherwise. */
import { createTransport } from 'nodemailer';
import { isLoopback } from '../config/addresses.ts';
import { traced } from '../telemetry/current-span.ts';
import type { Mail } from './mail-queue.ts';

/**
 * Encryption: `tls` from the start, `starttls` by the command STARTTLS. Without encryption: `local` for a server on this
 * machine, `plain` because SMTP_ALLOW_PLAIN_TEXT permits it.
 */
type MailConnection = 'tls' | 'starttls' | 'local' | 'plain';

/**
 * Prevents automatic replies such as out-of-office and read receipts. RFC 3834 defines `Auto-Submitted`, Microsoft Exchange the other
 * header. `All` would suppress non-delivery reports (NDR), too. No mail is a subscription, so none has `List-Unsubscribe` (RFC 8058).
 */
const headers = {
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'DR, RN, NRN, OOF, AutoReply',
};

/** `replyTo` is the address for answers, if it is not the sender's. */
type Sender = { name: string; address: string; replyTo?: string | undefined };

/** Returns the encryption for `url`, smtp:// or smtps://. Servers expect TLS from the start at port 465 (RFC 8314). */
export function mailConnectionTo(url: string, allowsPlainText: boolean): MailConnection {
  const { protocol, hostname, port } = new URL(url);
  if (protocol === 'smtps:' || port === '465') return 'tls';
  if (isLoopback(hostname)) return 'local';
  return allowsPlainText ? 'plain' : 'starttls';
}

/**
 * `url` is smtp:// or smtps://; `from` is the sender or a function that returns it for each mail. `clientName` is the name of this site in
 * EHLO, which `name` in the URL replaces. Connections are pooled. With 'starttls', neither password nor mail is sent unencrypted.
 */
export function connectSmtp(options: {
  url: string;
  clientName?: string;
  connection: MailConnection;
  from: Sender | (() => Promise<Sender>);
}) {
  const { connection } = options;
  // Query parameters of the URL must not weaken the chosen encryption.
  const url = new URL(options.url);
  for (const name of ['secure', 'requireTLS', 'ignoreTLS', 'opportunisticTLS']) url.searchParams.delete(name);
  if (connection === 'tls') url.protocol = 'smtps:';
  const isPlainTextAllowed = connection === 'local' || connection === 'plain';
  const transport = createTransport({
    url: url.href,
    ...(connection === 'starttls' && { requireTLS: true }),
    // A mail server on this machine often offers STARTTLS with a certificate that it has signed itself.
    ...(isPlainTextAllowed && { tls: { rejectUnauthorized: false } }),
    // The default is the host name of the machine. In a container it has no domain, so nodemailer sends [127.0.0.1] instead, which the
    // relay of Google Workspace and Postfix (reject_non_fqdn_helo_hostname) refuse.
    name: url.searchParams.get('name') ?? options.clientName,
    pool: true,
    // Microsoft 365 rejects mails of a mailbox with more connections, with 432.
    maxConnections: 3,
    // A server greets late while it looks up the client in DNS, or on purpose, to deter senders of spam. The first limit includes the second.
    connectionTimeout: 60_000,
    greetingTimeout: 60_000,
    // A server that scans mails for spam or viruses may answer late. It has accepted the mail, so after a timeout the recipient would get it
    // again at each attempt (RFC 5321, section 4.5.3.2).
    socketTimeout: 300_000,
    idleTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail: Mail, messageId: string): Promise<string> {
      const { replyTo, ...from } = typeof options.from === 'function' ? await options.from() : options.from;
      try {
        const { response } = await traced('SMTP', 'client', { 'server.address': url.hostname }, () =>
          // Gmail groups mails with the same subject, and hides the content that they share. A unique id prevents it.
          transport.sendMail({
            ...mail,
            from,
            replyTo,
            messageId,
            headers: { ...headers, 'X-Entity-Ref-ID': messageId },
          }),
        );
        return response;
      } catch (error) {
        throw connection === 'starttls' ? explainMissingEncryption(error) : error;
      }
    },
    close: () => transport.close(),
  };
}

/** A server without STARTTLS rejects the command or even EHLO (RFC 3207); this concerns the server, not the mail. */
function explainMissingEncryption(error: unknown): unknown {
  const { command, response, message } = error as { command?: string; response?: string; message?: string };
  const isRefused = response !== undefined && (command === 'STARTTLS' || /STARTTLS/.test(message ?? ''));
  if (!isRefused) return error;
  return Object.assign(
    new Error(`The mail server offers no encryption: to STARTTLS it says "${response.trim()}".`, {
      cause: error,
    }),
    { code: 'ETLS' },
  );
}
