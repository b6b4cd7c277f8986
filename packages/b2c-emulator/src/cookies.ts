import type { FastifyRequest } from 'fastify';

export const sessionCookie = 'b2c-emulator-session';

/**
 * Binds a transaction to the browser that started it. Its path is the transaction's page, so several can
 * coexist.
 */
export const transactionCookie = 'b2c-emulator-transaction';

/** Returns a cookie's value, or undefined if it is missing or malformed. */
export function readCookie(request: FastifyRequest, name: string): string | undefined {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [key, value] = part.trim().split('=', 2);
    if (key === name && value && /^[\w-]{1,100}$/.test(value)) return value;
  }
  return undefined;
}

/**
 * Returns a Set-Cookie value; without a value it deletes the cookie. With https the cookie must also be sent
 * in hidden frames of other sites (SameSite=None, which requires Secure); with http browsers send it within
 * one site only.
 */
export function writeCookie(name: string, value: string | undefined, secure: boolean, path = '/'): string {
  const site = secure ? 'Secure; SameSite=None' : 'SameSite=Lax';
  const age = value === undefined ? '; Max-Age=0' : '';
  return `${name}=${value ?? ''}; Path=${path}; HttpOnly; ${site}${age}`;
}
