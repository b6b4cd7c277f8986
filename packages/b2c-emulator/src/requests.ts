/** Parameters and cookies of requests. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { B2cError } from './b2c-error.ts';
import type { Policy } from './emulator-config.ts';
import type { Tenant } from './tenant/tenant.ts';

/** A handler of one endpoint that exists for every policy. */
export type PolicyEndpoint = (
  request: FastifyRequest,
  reply: FastifyReply,
  tenant: Tenant,
  policy: Policy,
) => FastifyReply | Promise<FastifyReply>;

/**
 * Returns a parameter's value; undefined for a missing or empty one. Throws for a repeated (RFC 6749 section 3.1) or
 * too long one.
 */
export type GetParameter = (name: string) => string | undefined;

/** Returns the form body, or the query if there is none. */
export function searchOf({ body, url }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URL(url, 'http://localhost').searchParams;
}

export function readParameters(search: URLSearchParams): GetParameter {
  return (name) => {
    const [value = '', ...more] = search.getAll(name);
    if (more.length > 0 || value.length > 8_192) throw new B2cError('AADB2C90122', 'invalid_request', name);
    return value || undefined;
  };
}

/** Splits space-separated values and removes duplicates. */
export function splitWords(words = ''): string[] {
  return [...new Set(words.split(' ').filter(Boolean))];
}

export const sessionCookie = 'b2c-emulator-session';

/** Binds a transaction to the browser that started it. Its path is the transaction's page, so several can coexist. */
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
 * Sets a cookie; an empty value deletes it. With https the cookie must also be sent in hidden frames of other
 * sites (SameSite=None, which requires Secure); with http browsers send it within one site only.
 */
export function setCookie(
  reply: FastifyReply,
  tenant: Tenant,
  name: string,
  value: string,
  path = '/',
): void {
  const site = tenant.publicUrl.startsWith('https:') ? 'Secure; SameSite=None' : 'SameSite=Lax';
  reply.header(
    'set-cookie',
    `${name}=${value}; Path=${path}; HttpOnly; ${site}${value ? '' : '; Max-Age=0'}`,
  );
}
