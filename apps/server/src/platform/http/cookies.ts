/**
 * Cookies of a request and its response (RFC 6265bis). All are `__Host-`, HttpOnly and Secure, to exclude other sites,
 * page scripts and unencrypted connections, and Lax, because providers redirect to the site. Browsers accept them on
 * http://localhost too.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

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

/** Reads one cookie of the header `Cookie`; null unless it occurs exactly once. */
export function readCookie(header: string | undefined, name: string): string | null {
  // Fast path for programs, which send no cookies.
  if (header === undefined) return null;
  const found = pairsOf(header).filter(([key]) => key === name);
  return found.length === 1 ? (found[0]?.[1] as string) : null;
}

function pairsOf(header: string | undefined): [name: string, value: string][] {
  return (header ?? '').split(';').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=');
    return at === -1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()]];
  });
}
