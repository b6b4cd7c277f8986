/** On this machine, the site under its name: browsers give passkeys to `localhost`, and to no address of numbers. */
import type { FastifyInstance } from 'fastify';

const numbers = new Set(['127.0.0.1', '[::1]', '::1']);

/** Leads pages that are opened at a loopback address of numbers to the same page of `publicUrl`, where that is localhost. */
export function leadToLocalhost(app: FastifyInstance, publicUrl: string): void {
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
