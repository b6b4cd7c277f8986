/**
 * A mail server for journeys: it keeps what it takes, and refuses every address that begins with `bounce`, as a real one
 * refuses a mailbox that does not exist.
 */
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** Listens on this machine only, unless `host` says otherwise. */
export async function startMailServer(host = '127.0.0.1') {
  const mails: { to: string; subject: string; text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onRcptTo({ address }, _session, done) {
      if (!address.startsWith('bounce')) return done();
      return done(Object.assign(new Error('5.1.1 No such mailbox here'), { responseCode: 550 }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => void keep(Buffer.concat(chunks), session.envelope.rcptTo, done));
    },
  });
  async function keep(raw: Buffer, recipients: { address: string }[], done: () => void): Promise<void> {
    const { subject = '', text = '' } = await PostalMime.parse(raw);
    for (const { address } of recipients) mails.push({ to: address, subject, text });
    done();
  }
  // A site that is killed leaves broken connections.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, host, resolve));

  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mailsTo: (address: string) => mails.filter(({ to }) => to === address),

    /** The link in the latest mail to an address; waits until there are `count` mails. */
    async linkTo(address: string, count = 1): Promise<string> {
      const deadline = Date.now() + 60_000;
      for (;;) {
        const found = mails.filter(({ to }) => to === address);
        const link = found.length >= count ? /^http\S+$/m.exec(found.at(-1)?.text ?? '')?.[0] : undefined;
        if (link) return link;
        if (Date.now() > deadline) throw new Error(`No ${count} mails to ${address} came within a minute`);
        await delay(100);
      }
    },

    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
