/** Redirects loopback IP addresses to `localhost`, since browsers do not support passkeys on IP addresses. */
import type { FastifyInstance } from 'fastify';

const numbers = new Set(['127.0.0.1', '[::1]', '::1']);

/** Redirects pages opened at a loopback IP address to the same page of `publicUrl`, if that is localhost. */
export function redirectLoopback(app: FastifyInstance, publicUrl: string): void {
  if (new URL(publicUrl).hostname !== 'localhost') return;
  app.addHook('onRequest', (request, reply, done) => {
    const isPage = request.method === 'GET' && request.headers.accept?.includes('text/html') === true;
    if (!isPage || !numbers.has(request.hostname)) return done();
    void reply
      .code(307)
      .header('location', publicUrl + request.url)
      .send();
  });
}
