import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';
import type { MailStore } from './mail-store.ts';

const closeTimeoutMs = 100;

/** Accepts every mail without authentication or encryption. Listens on loopback only. */
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
    // Do not wait for idle connections of senders.
    closeTimeout: closeTimeoutMs,
    onData(stream, session, callback) {
      const recipients = session.envelope.rcptTo.map(({ address }) => address);
      void receive(stream, recipients, callback);
    },
  });
  await new Promise<void>((resolve, reject) => {
    // Rejects for an error while the server starts to listen, such as a port in use. Later errors are connection resets by senders and have
    // no effect.
    server.on('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Reads the whole stream even if the mail is too large: SMTP allows the error response only afterwards. */
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
