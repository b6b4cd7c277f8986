import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';
import type { MailStore } from './mail-store.ts';

const closeTimeoutMs = 100;

/** Receives every mail that comes by SMTP, without a password or encryption: it is reachable from this machine only. */
export async function startSmtpReceiver(
  store: MailStore,
  options: { host: string; port: number; maxBytes: number },
): Promise<{ port: number; close(): Promise<void> }> {
  async function receive(
    stream: SMTPServerDataStream,
    recipients: string[],
    answer: (error?: Error | null) => void,
  ): Promise<void> {
    try {
      await store.add(await readMail(stream, options.maxBytes), recipients);
      answer();
    } catch (error) {
      answer(error as Error);
    }
  }

  const server = new SMTPServer({
    name: 'localhost',
    banner: 'Vestibule development mailbox',
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    size: options.maxBytes,
    // Senders keep idle connections open; the mailbox does not wait for them.
    closeTimeout: closeTimeoutMs,
    onData(stream, session, callback) {
      const recipients = session.envelope.rcptTo.map(({ address }) => address);
      void receive(stream, recipients, callback);
    },
  });
  await new Promise<void>((resolve, reject) => {
    // Only the first error counts, a port that is taken; later ones are senders that hang up, their own concern.
    server.on('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The stream has to be read to its end also when the mail is too big: the answer can only be given then. */
async function readMail(stream: SMTPServerDataStream, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += (chunk as Buffer).length;
    if (bytes <= maxBytes) chunks.push(chunk as Buffer);
  }
  if (bytes <= maxBytes) return Buffer.concat(chunks);
  // RFC 5321 section 4.2.3: 552, exceeded storage allocation.
  throw Object.assign(new Error(`The mail is larger than ${maxBytes} bytes.`), { responseCode: 552 });
}
