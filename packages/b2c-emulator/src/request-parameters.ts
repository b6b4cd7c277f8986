import type { FastifyRequest } from 'fastify';
import { B2cError } from './b2c-error.ts';

const maxValueLength = 8_192;

/** The parameters of a protocol request, from its query or its form. */
export type RequestParameters = {
  /** The value, undefined when absent or empty; a repeated (RFC 6749 section 3.1) or very long one is refused. */
  get(name: string): string | undefined;
};

/** The form of a request, or its query where it has no form. */
export function readSearchParameters(request: FastifyRequest): URLSearchParams {
  if (request.body instanceof URLSearchParams) return request.body;
  return new URL(request.url, 'http://localhost').searchParams;
}

/** Reads the parameters of a query or of a form body. */
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
