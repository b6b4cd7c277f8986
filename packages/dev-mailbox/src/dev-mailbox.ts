import { createMailStore } from './mail-store.ts';
import { startMailboxServer } from './mailbox-server.ts';
import { startSmtpReceiver } from './smtp-receiver.ts';

export type { Message } from './mail-store.ts';

/** A running mailbox: `smtpUrl` is where to send mail to, `url` the page to read it at. */
export type DevMailbox = { smtpUrl: string; url: string; close(): Promise<void> };

const capacity = 500;
const maxBytes = 10_000_000;
const loopbackHosts = ['127.0.0.1', '::1', 'localhost'];

/**
 * Starts a mailbox for development: it takes every mail, delivers none, and keeps the last 500 in memory. Port 0 is
 * any free port. A port that is taken rejects with the system's error (`code` EADDRINUSE, `port`).
 */
export async function startDevMailbox(options: {
  smtpPort: number;
  httpPort: number;
  /** Address of the page: 127.0.0.1 (the default), ::1 or localhost. Whoever reaches it reads everybody's mail. */
  host?: string;
  /** Lets the page listen on any address. Mail is taken from this machine only, whatever the page does. */
  allowPublicAddress?: boolean;
}): Promise<DevMailbox> {
  const host = options.host ?? '127.0.0.1';
  const isLoopback = loopbackHosts.includes(host);
  if (!isLoopback && options.allowPublicAddress !== true) {
    throw new Error(`The development mailbox listens on this machine only, not on ${host}.`);
  }
  const store = createMailStore(capacity);
  const smtpAddress = isLoopback ? host : '127.0.0.1';
  const smtp = await startSmtpReceiver(store, { host: smtpAddress, port: options.smtpPort, maxBytes });
  try {
    const server = await startMailboxServer(store, { host, port: options.httpPort });
    const smtpHost = smtpAddress === '::1' ? '[::1]' : smtpAddress;
    return {
      smtpUrl: `smtp://${smtpHost}:${smtp.port}`,
      url: `http://localhost:${server.port}`,
      close: async () => {
        await Promise.all([smtp.close(), server.close()]);
      },
    };
  } catch (error) {
    await smtp.close();
    throw error;
  }
}
