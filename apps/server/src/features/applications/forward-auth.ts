/** The addresses that reverse proxies ask about each request (docs/decisions/039-forward-authentication.md). */
import { applicationErrors } from '@vestibule/contract/applications';
import { personErrors } from '@vestibule/contract/people';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail, type Failure } from '../../platform/errors/failure.ts';
import { errorResponse, recordFailure } from '../../platform/http/error-response.ts';
import { checkHeader, receivedForgedHeaders } from './check-setup.ts';
import type { Decision, Gate } from './gate.ts';
import { noIdentity, type IdentityHeadersOf } from './identity-headers.ts';
import {
  isPageLoad,
  isProgram,
  readForwarded,
  readOriginalUrl,
  readPrefixed,
  type OriginalRequest,
} from './original-request.ts';
import type { PageName, SendPage } from './pages.ts';
import { startAddressOf, switchAddressOf } from './return-path.ts';

const envoyPrefix = '/forward-auth/envoy';
/** RFC 4918, RFC 3253, RFC 4791 and RFC 5323. Nextcloud's own pages send them. */
const webDavMethods = 'PROPFIND PROPPATCH MKCOL MKCALENDAR COPY MOVE LOCK UNLOCK REPORT SEARCH'.split(' ');
export const envoyMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', ...webDavMethods];

type Deps = {
  gate: Gate;
  identityHeadersOf: IdentityHeadersOf;
  isTrustedProxy: (request: FastifyRequest) => boolean;
  sendPage: SendPage;
};

/** `isOptional`: requests without a sign-in or access get empty identity headers. `hasPages`: the proxy sends the body and a redirect to the browser. */
type Options = { isOptional: boolean; hasPages: boolean };

export function mountForwardAuth(app: FastifyInstance, deps: Deps): void {
  const check =
    (read: (request: FastifyRequest) => OriginalRequest | null, options: Options) =>
    (request: FastifyRequest, reply: FastifyReply) =>
      respond(deps, request, reply, read(request), options);
  // The mode is part of the path, because Caddy adds the query of the client to the address.
  for (const [suffix, isOptional] of [
    ['', false],
    ['/optional', true],
  ] as const) {
    app.get(`/forward-auth${suffix}`, check(readForwarded, { isOptional, hasPages: true }));
    // Only 2xx, 401 and 403 are sent.
    app.get(`/forward-auth/nginx${suffix}`, check(readOriginalUrl, { isOptional, hasPages: false }));
  }
  for (const method of webDavMethods) app.addHttpMethod(method);
  app.route({
    method: envoyMethods,
    url: `${envoyPrefix}/*`,
    // Before the body is parsed.
    onRequest: (request, reply) =>
      respond(deps, request, reply, readPrefixed(request, envoyPrefix), {
        hasPages: true,
        isOptional: false,
      }),
    handler: (_request, reply) => reply,
  });
}

async function respond(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  original: OriginalRequest | null,
  options: Options,
): Promise<FastifyReply> {
  reply.header('cache-control', 'no-store');
  const received = receivedForgedHeaders(request);
  if (received !== null) reply.header(checkHeader, received);
  // Headers of other clients can claim any host.
  const known = deps.isTrustedProxy(request) ? original : null;
  const decision: Decision = known
    ? await deps.gate.decide(request, known)
    : { outcome: 'refused', application: null, failure: fail(applicationErrors.untrustedProxy) };
  if (decision.outcome === 'allowed')
    return reply.headers(await deps.identityHeadersOf(decision.user, decision.application.address)).send();
  const { failure, application } = decision;
  if (options.isOptional && application) return reply.headers(noIdentity).send();
  const isPage = options.hasPages && isPageLoad(request, known ?? ownRequest);
  const { authorization, 'sec-fetch-mode': fetchMode } = request.headers;
  // A browser sends the credentials of the application with every page.
  if (
    isPage &&
    failure.text.code === requestErrors.signInNeeded.code &&
    known &&
    (authorization === undefined || fetchMode !== undefined)
  )
    return reply.code(302).header('location', startAddressOf(known)).send();
  if (isPage && failure.status !== 401) return sendRefusal(deps.sendPage, request, reply, decision);
  const refused = recordFailure(failure, request, reply);
  if (refused.status === 401 && isProgram(request, known ?? ownRequest))
    reply.header('www-authenticate', basicChallenge);
  return errorResponse(request, reply, refused);
}

/** Used if the request does not come from a trusted proxy, whose headers would name the original request. */
const ownRequest: OriginalRequest = { address: '', path: '/', method: 'GET' };

/** Calendar apps and git send a password only after this challenge (RFC 7617). They may show the realm. */
const basicChallenge = 'Basic realm="Access token as the password", charset="UTF-8"';

const pageOf: Record<string, PageName> = {
  [applicationErrors.noAccess.code]: 'noAccess',
  [personErrors.disabled.code]: 'disabled',
  [applicationErrors.unknownHost.code]: 'unknownHost',
  [applicationErrors.untrustedProxy.code]: 'untrustedProxy',
};

/** Sends the page that explains a refusal; an error response to programs, or if there is no page. */
export function sendRefusal(
  sendPage: SendPage,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Pick<Extract<Decision, { outcome: 'refused' }>, 'failure' | 'application' | 'user'>,
): FastifyReply | Promise<FastifyReply> {
  const { failure, application, user } = refusal;
  const refused: Failure = recordFailure(failure, request, reply);
  const name = pageOf[failure.text.code];
  if (!name || !request.headers.accept?.includes('text/html')) return errorResponse(request, reply, refused);
  const values = {
    application: application?.application_name ?? '',
    email: user?.email ?? '',
    ...(application && { switchUrl: switchAddressOf(application.address) }),
  };
  return sendPage(request, reply, { name, status: refused.status, values });
}
