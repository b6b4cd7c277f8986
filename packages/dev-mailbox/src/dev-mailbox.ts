import { createMailStore } from './mail-store.ts';
import { startMailboxSite } from './mailbox-site.ts';
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
  /** 127.0.0.1 (the default), ::1 or localhost: whoever reaches the mailbox reads everybody's mail. */
  host?: string;
}): Promise<DevMailbox> {
  const host = options.host ?? '127.0.0.1';
  if (!loopbackHosts.includes(host)) {
    throw new Error(`The development mailbox listens on this machine only, not on ${host}.`);
  }
  const store = createMailStore(capacity);
  const smtp = await startSmtpReceiver(store, { host, port: options.smtpPort, maxBytes });
  try {
    const site = await startMailboxSite(store, { host, port: options.httpPort });
    const smtpHost = host === '::1' ? '[::1]' : host;
    return {
      smtpUrl: `smtp://${smtpHost}:${smtp.port}`,
      url: `http://localhost:${site.port}`,
      close: async () => {
        await Promise.all([smtp.close(), site.close()]);
      },
    };
  } catch (error) {
    await smtp.close();
    throw error;
  }
}
