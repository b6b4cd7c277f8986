import { createMailStore } from './mail-store.ts';
import { startMailboxServer } from './mailbox-server.ts';
import { startSmtpReceiver } from './smtp-receiver.ts';

export type { Message } from './mail-store.ts';

/** `smtpUrl` receives mail; `url` is the page that shows it. */
export type DevMailbox = { smtpUrl: string; url: string; close(): Promise<void> };

const capacity = 500;
const maxBytes = 10_000_000;
const loopbackHosts = ['127.0.0.1', '::1', 'localhost'];

/**
 * Starts a mailbox for development. It accepts every mail, delivers none and stores the last 500.
 * Port 0 selects a free port. Rejects with the system's error if a port is in use (`code` EADDRINUSE,
 * `port`).
 */
export async function startDevMailbox(options: {
  smtpPort: number;
  httpPort: number;
  /**
   * Listen address of the page (default: 127.0.0.1). Everyone who can reach the page can read all mails. SMTP always
   * listens on loopback.
   */
  host?: string;
  /** Also stores the mails in this directory, so that they outlive a restart. */
  directory?: string | undefined;
}): Promise<DevMailbox> {
  const host = options.host ?? '127.0.0.1';
  const store = createMailStore(capacity, options.directory);
  const smtpAddress = loopbackHosts.includes(host) ? host : '127.0.0.1';
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
