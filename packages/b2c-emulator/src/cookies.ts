import type { FastifyRequest } from 'fastify';

/** Who is signed in at this browser. */
export const sessionCookie = 'b2c-emulator-session';

/** Binds a transaction to the browser that began it; its path is the transaction's page, so each has its own. */
export const transactionCookie = 'b2c-emulator-transaction';

/** The value of a cookie of the request, undefined when absent or not one of ours. */
export function readCookie(request: FastifyRequest, name: string): string | undefined {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [key, value] = part.trim().split('=', 2);
    if (key === name && value && /^[\w-]{1,100}$/.test(value)) return value;
  }
  return undefined;
}

/**
 * A Set-Cookie value; without a value it removes the cookie. On https the cookie must also come along in an
 * application's hidden frame, on http browsers allow that within one site only (SameSite=None needs Secure).
 */
export function writeCookie(name: string, value: string | undefined, secure: boolean, path = '/'): string {
  const site = secure ? 'Secure; SameSite=None' : 'SameSite=Lax';
  const age = value === undefined ? '; Max-Age=0' : '';
  return `${name}=${value ?? ''}; Path=${path}; HttpOnly; ${site}${age}`;
}
