/** A mail server that takes its time, as one in another data centre, and writes down whom each mail was for. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

const journeyMs = 20;

export type MailLedger = {
  smtpUrl: string;
  /** How many different mails (by Message-ID) an address has. */
  mailsTo(address: string): number;
  close(): Promise<void>;
};

export async function startMailLedger(): Promise<MailLedger> {
  const mails = new Map<string, Set<string>>();
  const later = (callback: () => void) => void setTimeout(callback, journeyMs);
  const server = new SMTPServer({
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
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    smtpUrl: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mailsTo: (address) => mails.get(address)?.size ?? 0,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
