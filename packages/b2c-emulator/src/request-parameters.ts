import type { FastifyRequest } from 'fastify';
import { B2cError } from './b2c-error.ts';

const maxValueLength = 8_192;

export type RequestParameters = {
  /**
   * Returns undefined for a missing or empty value; throws for a repeated (RFC 6749 section 3.1) or too long
   * one.
   */
  get(name: string): string | undefined;
};

/** Returns the form body, or the query if there is none. */
export function readSearchParameters(request: FastifyRequest): URLSearchParams {
  if (request.body instanceof URLSearchParams) return request.body;
  return new URL(request.url, 'http://localhost').searchParams;
}

export function readParameters(search: URLSearchParams): RequestParameters {
  return {
    get(name) {
      const [value, ...more] = search.getAll(name);
      if (more.length > 0 || (value?.length ?? 0) > maxValueLength) {
        throw new B2cError('AADB2C90122', 'invalid_request', name);
      }
      return value || undefined;
    },
  };
}
