/**
 * Routes that providers and redirected browsers call. A callback always redirects: to the requested page, or to the login screen with
 * the outcome. Status 303 keeps the address with the code out of the browser's history.
 */
import { personErrors } from '@vestibule/contract/people';
import { requestErrors } from '@vestibule/contract/request-errors';
import { callbackPath, signInProblems } from '@vestibule/contract/sign-in';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply } from 'fastify';
import { isDatabaseUnavailable } from '../../../platform/database/database-unavailable.ts';
import { fail, Failure } from '../../../platform/errors/failure.ts';
import { cookiesOf } from '../../../platform/http/cookies.ts';
import { originOf } from '../../../platform/http/mount.ts';
import { recordRefusedSignIn } from '../../../platform/http/refused-sign-in.ts';
import type { EmailCodes } from '../email-codes/email-codes.ts';
import { sessionCookie } from '../sessions/sessions.ts';
import { mountBackchannelLogout, type BackchannelDeps } from './backchannel-logout.ts';
import type { CodeExchange, OidcClient } from './oidc-client.ts';
import { authorizationErrorIn, explainFailure, loggedFailure } from './oidc-failure.ts';
import type { createOidcSignIn } from './oidc-sign-in.ts';
import { startEmailVerification } from './email-verification.ts';
import { startPage, type RequestContext } from './start-authorization.ts';
import { storeRequestOutcome, type StoredProblem, type AuthorizationRequest } from './request-store.ts';
import type { SignInContext } from '../sign-in-context.ts';

const formLimitBytes = 32 * 1024;

type CallbackContext = RequestContext & { recordRefusal: (code: string) => void };

type Deps = SignInContext & { signIn: ReturnType<typeof createOidcSignIn>; codes: EmailCodes };

export function mountCallbacks(app: FastifyInstance, deps: Deps & BackchannelDeps): void {
  const config = { access: 'public' as const };
  void app.register((scope, _options, done) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: formLimitBytes },
      (_request, body, parsed) => parsed(null, body),
    );
    scope.get<{ Params: { way: string } }>(callbackPath(':way'), { config }, async (request, reply) => {
      const client = await deps.findClient(request.params.way);
      if (!client) return reply.callNotFound();
      const query = request.url.split('?').slice(1).join('?');
      const context = {
        cookies: cookiesOf(request, reply),
        origin: originOf(request),
        log: request.log,
        recordRefusal: (code: string) => recordRefusedSignIn(request, 'provider', code),
      };
      const target = handleCallback(deps, client, query, context);
      return sendTarget(reply, request.log, target);
    });
    // A cross-site POST (response_mode=form_post) has none of our cookies; the browser sends them after this redirect.
    scope.post<{ Params: { way: string } }>(callbackPath(':way'), { config }, async (request, reply) => {
      if (!(await deps.findClient(request.params.way))) return reply.callNotFound();
      const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
      return redirect(reply, `${callbackPath(request.params.way)}?${form.toString()}`);
    });
    mountBackchannelLogout(scope, deps);
    done();
  });
}

const redirect = (reply: FastifyReply, location: string) =>
  reply.code(303).header('cache-control', 'no-store').header('location', location).send();

/** Returns the target of the browser's redirect. */
async function handleCallback(
  deps: Deps,
  client: OidcClient,
  query: string,
  context: CallbackContext,
): Promise<string> {
  const { authorizationRequests } = deps;
  const parameters = new URLSearchParams(query);
  const states = parameters.getAll('state');
  const state = states.length === 1 ? (states[0] as string) : '';
  const attempt = authorizationRequests.attemptOf(state);
  const request = await authorizationRequests.claim(state, client.provider.id, context.cookies);
  if (!request)
    return (
      (await failUnmatched(deps, client, parameters, context)) ??
      (await repeatCallback(deps, attempt, context))
    );
  try {
    // Before `exchange`, which requires an `iss` that some providers omit from errors (RFC 9207, section 2).
    const error = authorizationErrorIn(parameters);
    if (error) throw error;
    const exchanged = await client.exchange(query, { state, ...authorizationRequests.secretsOf(state) });
    // `askedAt` is the start of the authorization request, not of the exchange, so that a logout during the redirect counts too.
    const providerSignIn = {
      ...exchanged,
      askedAt: request.created_at.getTime(),
      authenticatedAt: readAuthenticationTime(exchanged, deps),
    };
    const result = await deps.signIn.finish(client, request, providerSignIn, context);
    if (result.kind === 'verification') {
      await startEmailVerification(deps, client.provider, request, result.pending, context);
      return targetScreen('proof', attempt);
    }
    await authorizationRequests.remove(request.state_hash, context.cookies);
    deps.recordProviderResult(client.provider.id, null);
    return request.return_to;
  } catch (error) {
    await storeRequestOutcome(
      deps.database,
      request.state_hash,
      reportFailure(deps, client, request, error, context),
      null,
    );
    return targetScreen('problem', attempt);
  }
}

/**
 * Logs and counts an error response that matches no open sign-in. Without a state, it is attributed to the browser's
 * newest sign-in with this provider. Returns null for other responses, and if the browser has no such sign-in.
 */
async function failUnmatched(
  deps: Deps,
  client: OidcClient,
  parameters: URLSearchParams,
  context: CallbackContext,
): Promise<string | null> {
  const error = authorizationErrorIn(parameters);
  if (!error) return null;
  const problem = reportFailure(deps, client, null, error, context);
  if (parameters.getAll('state').some((value) => value !== '')) return null;
  const attempt = await deps.authorizationRequests.failNewest(client.provider.id, problem, context.cookies);
  return attempt === null ? null : targetScreen('problem', attempt);
}

/**
 * Responds to a further request of a callback, for example after a reload. The code is never exchanged again, since a
 * provider that sees a code twice also ends the first session.
 */
async function repeatCallback(
  { authorizationRequests, sessions }: Deps,
  attempt: string,
  { cookies }: RequestContext,
): Promise<string> {
  const previous = await authorizationRequests.find(attempt, cookies);
  if (previous?.outcome)
    return targetScreen(previous.outcome.kind === 'proof' ? 'proof' : 'problem', attempt);
  const isSignedIn = (await sessions.find(cookies.get(sessionCookie))) !== null;
  return isSignedIn ? (previous?.return_to ?? startPage) : targetScreen('problem', attempt);
}

/**
 * Returns when the user last authenticated at the provider; null if unknown, as `auth_time` is optional (OpenID Connect Core, section 2).
 * Without mail there is no code to confirm with, so the current time is assumed.
 */
function readAuthenticationTime(
  { authTime, claims: { iat } }: CodeExchange,
  { mail, now }: Deps,
): Date | null {
  if (authTime === null || typeof iat !== 'number') return mail.sends ? null : new Date(now());
  // Both claims are by the provider's clock.
  return new Date(Math.max(now() - Math.max(iat - authTime, 0) * 1000, 0));
}

/** Redirects even after an unexpected error: the browser shows this response as a page, so JSON would be unreadable. */
async function sendTarget(
  reply: FastifyReply,
  log: FastifyBaseLogger,
  target: Promise<string>,
): Promise<FastifyReply> {
  const location = await target.catch((error: unknown) => {
    log.error({ err: error }, 'a sign-in callback failed unexpectedly');
    return '/login?sign-in=problem';
  });
  return redirect(reply, location);
}

const targetScreen = (kind: 'problem' | 'proof', attempt: string) =>
  `/login?sign-in=${kind}&attempt=${attempt}`;

/** Codes of refusals that concern the person, so that signing in again does not help. */
const finalCodes = new Set<string>([personErrors.disabled.code, personErrors.invitationRevoked.code]);

function explainOrLog(error: unknown, provider: string, log: FastifyBaseLogger): Failure {
  try {
    return explainFailure(error, provider);
  } catch (cause) {
    log.error({ err: cause }, 'a sign-in failed');
    return fail(isDatabaseUnavailable(cause) ? requestErrors.unavailable : requestErrors.unexpected, {
      cause,
    });
  }
}

/** Logs a failure, without text from the provider, and returns the problem for the login screen. */
function reportFailure(
  { recordProviderResult }: Deps,
  { provider }: OidcClient,
  request: AuthorizationRequest | null,
  error: unknown,
  { log, recordRefusal }: CallbackContext,
): StoredProblem {
  const isOwn = error instanceof Failure;
  const failure = isOwn ? error : explainOrLog(error, provider.name, log);
  const { code } = failure.text;
  log.info(
    { way: provider.id, invitation: request?.invitation_id ?? null, ...loggedFailure(failure) },
    'a sign-in failed',
  );
  recordRefusal(code);
  // Cancelling and refusals by this server are not failures of the provider.
  if (!isOwn && code !== signInProblems.cancelled.code) recordProviderResult(provider.id, code);
  return { kind: 'problem', ...failure.text, canRetry: !finalCodes.has(code) };
}
