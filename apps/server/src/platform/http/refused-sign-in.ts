/** Log lines of refused sign-ins, for programs such as fail2ban, and the metric that counts them. */
import type { RefusedMethod } from '@vestibule/contract/route';
import type { FastifyRequest } from 'fastify';
import { clientAddress } from './ip-network.ts';

declare module 'fastify' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface FastifyInstance {
    countRefusedSignIn?: (method: RefusedMethod, code: string) => void;
  }
}

/** The order of the fields is documented, because filters depend on it. */
export function recordRefusedSignIn(
  request: FastifyRequest,
  signInMethod: RefusedMethod,
  code: string,
): void {
  request.server.countRefusedSignIn?.(signInMethod, code);
  request.log.info({ code, signInMethod, address: clientAddress(request) }, 'sign-in refused');
}
