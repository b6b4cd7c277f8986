import { createMailStore, type MailStore } from './mail-store.ts';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';

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
  const smtp = await startSmtpReceiver(store, { host: smtpAddress, port: options.smtpPort });
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

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

// Mails are untrusted: scripts, forms and external resources are blocked. Inline styles are allowed, and
// links open as normal pages.
const mailPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "frame-ancestors 'self'",
].join('; ');

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);

const pageFiles = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
} as const;

/** Serves the mails of a store: a page at `/` and JSON under `/api/messages`. */
async function startMailboxServer(
  store: MailStore,
  options: { host: string; port: number },
): Promise<{ port: number; close(): Promise<void> }> {
  const server = Fastify({ forceCloseConnections: true });

  server.addHook('onRequest', (request, reply, done) => {
    // DNS rebinding: a foreign page could point its own host name at this machine and read mails.
    if (!loopbackNames.has(request.hostname.replace(/:\d+$/, ''))) {
      void reply.code(403).send({ message: 'The mailbox answers to localhost only.' });
      return;
    }
    void reply.headers({
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    });
    done();
  });

  for (const [path, [file, type]] of Object.entries(pageFiles)) {
    const content = await readFile(new URL(`page/${file}`, import.meta.url));
    server.get(path, (_request, reply) => reply.type(type).send(content));
  }

  server.get<{ Querystring: { to?: string } }>('/api/messages', (request, reply) => {
    // The page polls every second; with status 304, unchanged lists are not sent again.
    const tag = `"${store.revision}"`;
    void reply.header('etag', tag);
    if (request.headers['if-none-match'] === tag) return reply.code(304).send();
    const { to } = request.query;
    return reply.send(store.list(typeof to === 'string' ? to : undefined));
  });

  server.delete('/api/messages', (_request, reply) => {
    store.clear();
    return reply.code(204).send();
  });

  server.get<{ Params: { id: string } }>('/api/messages/:id/raw', (request, reply) => {
    const mail = store.find(request.params.id);
    if (mail === undefined) return reply.code(404).send({ message: 'This mail is no longer here.' });
    return reply.type('text/plain; charset=utf-8').send(mail.raw);
  });

  server.get<{ Params: { id: string } }>('/api/messages/:id/html', (request, reply) => {
    const mail = store.find(request.params.id);
    if (mail === undefined) return reply.code(404).send({ message: 'This mail is no longer here.' });
    void reply.header('content-security-policy', mailPolicy).type('text/html; charset=utf-8');
    return reply.send(`<!doctype html><base target="_blank">${mail.message.html}`);
  });

  await server.listen({ host: options.host, port: options.port });
  return { port: (server.server.address() as AddressInfo).port, close: () => server.close() };
}

const closeTimeoutMs = 100;

/** Accepts every mail without authentication or encryption. Listens on loopback only. */
async function startSmtpReceiver(
  store: MailStore,
  options: { host: string; port: number },
): Promise<{ port: number; close(): Promise<void> }> {
  async function receive(
    stream: SMTPServerDataStream,
    recipients: string[],
    answer: (error?: Error | null) => void,
  ): Promise<void> {
    try {
      await store.add(await readMail(stream), recipients);
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
    size: maxBytes,
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
async function readMail(stream: SMTPServerDataStream): Promise<Buffer> {
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
