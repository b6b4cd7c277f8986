/**
 * Cookies of a request and its response (RFC 6265bis). All are `__Host-`, HttpOnly and Secure, to exclude other sites, page scripts and
 * unencrypted connections, and Lax, because providers redirect to the site. Browsers other than Safari accept them on http://localhost too.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { describeAgent } from './describe-agent.ts';

export type Cookies = {
  /** Returns null if the cookie is missing or sent more than once, which may be an attack. */
  get(name: string): string | null;
  names(prefix: string): string[];
  set(name: string, value: string, seconds: number): void;
  clear(name: string): void;
};

export function cookiesOf(request: FastifyRequest, reply: FastifyReply): Cookies {
  const write = (name: string, value: string, seconds: number) =>
    void reply.header(
      'set-cookie',
      `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Lax`,
    );
  return {
    get: (name) => readCookie(request.headers.cookie, name),
    names: (prefix) => [
      ...new Set(
        pairsOf(request.headers.cookie).flatMap(([name]) => (name.startsWith(prefix) ? [name] : [])),
      ),
    ],
    set: write,
    clear: (name) => write(name, '', 0),
  };
}

/**
 * Removes `__Host-` and `Secure` from cookies that are sent to Safari on http://localhost, and adds the prefix to cookies
 * that Safari sends: it stores no Secure cookies there (https://bugs.webkit.org/show_bug.cgi?id=281149).
 */
export function adaptCookiesToSafari(app: FastifyInstance, publicUrl: string): void {
  if (new URL(publicUrl).protocol !== 'http:') return;
  const isSafari = ({ headers }: FastifyRequest) =>
    describeAgent(headers['user-agent'] ?? '').browser === 'Safari';
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    if (isSafari(request))
      headers.cookie = headers.cookie?.replaceAll(/(?<=^|; ?)vestibule/g, '__Host-vestibule');
    done();
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    const lines = reply.getHeader('set-cookie');
    if (lines !== undefined && isSafari(request))
      reply.removeHeader('set-cookie').header(
        'set-cookie',
        [lines].flat().map((line) =>
          String(line)
            .replace(/^__Host-/, '')
            .replace('; Secure', ''),
        ),
      );
    done();
  });
}

/** Reads one cookie of the header `Cookie`; null unless it occurs exactly once. */
export function readCookie(header: string | undefined, name: string): string | null {
  // Fast path for programs, which send no cookies.
  if (header === undefined) return null;
  const found = pairsOf(header).filter(([key]) => key === name);
  return found.length === 1 ? (found[0]?.[1] as string) : null;
}

const pairsOf = (header: string | undefined): [name: string, value: string][] =>
  (header ?? '').split(';').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=');
    return at === -1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()]];
  });
