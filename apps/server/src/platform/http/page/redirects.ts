/** Redirects pages that are opened at another spelling of their address. */
import type { FastifyInstance, FastifyRequest } from 'fastify';

const numbers = new Set(['127.0.0.1', '[::1]', '::1']);

/**
 * Redirects pages opened at a loopback IP address to the same page of `publicUrl`, if that is localhost: browsers do not
 * support passkeys on IP addresses.
 */
export function redirectLoopback(app: FastifyInstance, publicUrl: string): void {
  if (new URL(publicUrl).hostname !== 'localhost') return;
  app.addHook('onRequest', (request, reply, done) => {
    if (!isPage(request) || !numbers.has(request.hostname)) return done();
    void reply
      .code(307)
      .header('location', publicUrl + request.url)
      .send();
  });
}

/** Redirects pages opened with surplus slashes, such as `https://example.com//signup`, as in links joined from two parts. */
export function redirectSurplusSlashes(app: FastifyInstance, publicUrl: string): void {
  app.addHook('onRequest', (request, reply, done) => {
    const [path = '', ...query] = request.url.split('?');
    const isDirectory = request.routeOptions.url?.startsWith('/scim') === true;
    if (!isPage(request) || isDirectory || !path.includes('//')) return done();
    void reply
      .code(308)
      .header('location', publicUrl + [path.replaceAll(/\/{2,}/g, '/'), ...query].join('?'))
      .send();
  });
}

const isPage = ({ method, headers }: FastifyRequest) =>
  method === 'GET' && headers.accept?.includes('text/html') === true;
