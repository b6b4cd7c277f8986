/**
 * Cookies of a request and its answer (RFC 6265bis). Each is `__Host-`, HttpOnly and Secure, so that no other site, no page script
 * and no plain connection has it; Lax, because people come back from the provider by a link. Browsers keep them on http://localhost too.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

export type Cookies = {
  /** Null when there is none, or more than one: who sent two wants one to be mistaken for the other. */
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

/** One cookie of the header `Cookie`; null when it is not there exactly once. */
export function readCookie(header: string | undefined, name: string): string | null {
  // Almost every request of a program has none.
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
