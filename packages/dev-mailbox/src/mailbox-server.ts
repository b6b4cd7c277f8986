import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import type { MailStore } from './mail-store.ts';

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
export async function startMailboxServer(
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
