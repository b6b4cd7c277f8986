/** A mail server that takes its time, as one in another data centre, and writes down whom each mail was for. */
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

const journeyMs = 20;

export type MailLedger = {
  smtpUrl: string;
  /** How many different mails (by Message-ID) an address has. */
  mailsTo(address: string): number;
  /** Nobody listens any more, and who is connected is cut off; until it is back. */
  leave(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
};

export async function startMailLedger(): Promise<MailLedger> {
  const mails = new Map<string, Set<string>>();
  const later = (callback: () => void) => void setTimeout(callback, journeyMs);
  const options: SMTPServerOptions = {
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onRcptTo: (_address, _session, callback) => later(() => callback()),
    onData(stream, { envelope }, callback) {
      const pieces: Buffer[] = [];
      stream
        .on('data', (piece: Buffer) => pieces.push(piece))
        .on('end', () => {
          const messageId = /^message-id: *(\S+)/im.exec(Buffer.concat(pieces).toString())?.[1] ?? 'none';
          // Taken when the server says so and not before: a client that is killed meanwhile has to come again.
          later(() => {
            for (const { address } of envelope.rcptTo) {
              const known = mails.get(address) ?? new Set();
              mails.set(address, known.add(messageId));
            }
            callback();
          });
        });
    },
  };
  let server = await listen(0);
  const { port } = server.server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return {
    smtpUrl: `smtp://127.0.0.1:${port}`,
    mailsTo: (address) => mails.get(address)?.size ?? 0,
    leave: close,
    comeBack: async () => void (server = await listen(port)),
    close,
  };

  async function listen(at: number): Promise<SMTPServer> {
    const one = new SMTPServer(options);
    one.on('error', () => {});
    await new Promise<void>((resolve) => one.listen(at, '127.0.0.1', resolve));
    return one;
  }
}
