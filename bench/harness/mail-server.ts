/** Mail server with 20 ms latency that records the recipients of each mail. */
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

const latencyMs = 20;

export type MailServer = {
  smtpUrl: string;
  mailsTo(address: string): number;
  /** Closes the port and all connections until `goOnline`. */
  goOffline(): Promise<void>;
  goOnline(): Promise<void>;
  close(): Promise<void>;
};

export async function startMailServer(): Promise<MailServer> {
  const mails = new Map<string, Set<string>>();
  const later = (callback: () => void) => void setTimeout(callback, latencyMs);
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
          // Record a mail only when it is acknowledged: a client that is killed before the acknowledgement has to send the mail again.
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
    goOffline: close,
    goOnline: async () => void (server = await listen(port)),
    close,
  };

  async function listen(at: number): Promise<SMTPServer> {
    const one = new SMTPServer(options);
    one.on('error', () => {});
    await new Promise<void>((resolve) => one.listen(at, '127.0.0.1', resolve));
    return one;
  }
}
