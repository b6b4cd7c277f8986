/**
 * Routes that providers and redirected browsers call. A callback always redirects: to the requested page, or to the login screen with
 * the outcome. Status 303 keeps the address with the code out of the browser's history.
 */
import { finished } from 'node:stream/promises';
import { personErrors } from '@vestibule/contract/people';
import { requestErrors } from '@vestibule/contract/request-errors';
import { callbackPath, signInProblems } from '@vestibule/contract/sign-in';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply } from 'fastify';
import { isDatabaseUnavailable } from '../../../platform/database/database-unavailable.ts';
import { fail, Failure } from '../../../platform/errors/failure.ts';
import { cookiesOf, type Cookies } from '../../../platform/http/cookies.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import { originOf } from '../../../platform/http/mount.ts';
import type { EmailCodes } from '../email-codes/email-codes.ts';
import { sessionCookie } from '../sessions/sessions.ts';
import { mountBackchannelLogout, type BackchannelDeps } from './backchannel-logout.ts';
import type { CodeExchange, OidcClient } from './provider/oidc-client.ts';
import { authorizationErrorIn, explainFailure, loggedFailure } from './provider/oidc-failure.ts';
import type { createOidcSignIn } from './oidc-sign-in.ts';
import { startEmailVerification } from './email-verification.ts';
import { startPage } from './return-url.ts';
import type { StoredProblem, AuthorizationRequest } from './authorization-requests/request-row.ts';
import type { AuthorizationRequests } from './authorization-requests/request-store.ts';
import type { SignInContext } from '../sign-in-context.ts';

const formLimitBytes = 32 * 1024;

type Deps = SignInContext & { signIn: ReturnType<typeof createOidcSignIn>; codes: EmailCodes };

export function mountCallbacks(app: FastifyInstance, deps: Deps & BackchannelDeps): void {
  void app.register((scope, _options, done) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: formLimitBytes },
      (_request, body, parsed) => parsed(null, body),
    );
    scope.get<{ Params: { way: string } }>(callbackPath(':way'), async (request, reply) => {
      const client = deps.clients.get(request.params.way);
      if (!client) return reply.callNotFound();
      const query = request.url.split('?').slice(1).join('?');
      const context = { cookies: cookiesOf(request, reply), origin: originOf(request), log: request.log };
      const target = handleCallback(deps, client, query, context);
      return sendTarget(reply, request.log, target, deps.authorizationRequests);
    });
    // A cross-site POST (response_mode=form_post) has none of our cookies; the browser sends them after this redirect.
    scope.post<{ Params: { way: string } }>(callbackPath(':way'), async (request, reply) => {
      if (!deps.clients.has(request.params.way)) return reply.callNotFound();
      const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
      return redirect(reply, `${callbackPath(request.params.way)}?${form.toString()}`);
    });
    mountBackchannelLogout(scope, deps);
    done();
  });
}

const redirect = (reply: FastifyReply, location: string) =>
  reply.code(303).header('cache-control', 'no-store').header('location', location).send();

type RequestContext = { cookies: Cookies; origin: Origin; log: FastifyBaseLogger };

/**
 * Target of the browser's redirect. `signedIn` is set if the callback signed the browser in; `isRepeated` is true for
 * further requests of the same callback.
 */
type Target = { location: string; signedIn?: { hash: Buffer; isRepeated: boolean } };

async function handleCallback(
  deps: Deps,
  client: OidcClient,
  query: string,
  context: RequestContext,
): Promise<Target> {
  const { authorizationRequests } = deps;
  const parameters = new URLSearchParams(query);
  const states = parameters.getAll('state');
  const state = states.length === 1 ? (states[0] as string) : '';
  const attempt = authorizationRequests.attemptOf(state);
  const request = await authorizationRequests.claim(state, client.provider.id, context.cookies);
  if (!request)
    return (
      (await failUnmatched(deps, client, parameters, context)) ?? (await repeatCallback(deps, state, context))
    );
  try {
    const exchanged = await client.exchange(query, { state, ...authorizationRequests.secretsOf(state) });
    // `askedAt` is the start of the authorization request, not of the exchange, so that a logout during the redirect
    // counts too.
    const answer = {
      ...exchanged,
      askedAt: request.created_at.getTime(),
      provenAt: authenticatedAt(exchanged, deps),
    };
    const sessionValue = authorizationRequests.sessionCookieValueOf(state, context.cookies) as string;
    const result = await deps.signIn.finish(client, request, answer, { ...context, sessionValue });
    if (result.kind === 'verification') {
      await startEmailVerification(deps, client.provider, request, result.pending, context);
      return targetScreen('proof', attempt);
    }
    await authorizationRequests.finish(request, deps.sessions.hashOf(sessionValue), context.cookies);
    deps.recordProviderResult(client.provider.id, null);
    return {
      location: request.return_to,
      signedIn: { hash: request.state_hash, isRepeated: false },
    };
  } catch (error) {
    await authorizationRequests.storeOutcome(
      request.state_hash,
      reportFailure(deps, client, request, error, context.log),
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
  { cookies, log }: RequestContext,
): Promise<Target | null> {
  const error = authorizationErrorIn(parameters);
  if (!error) return null;
  const state = parameters.getAll('state').find((value) => value !== '');
  // The first request of this callback reports the error.
  if (state !== undefined && (await deps.authorizationRequests.waitFor(state, cookies))) return null;
  const problem = reportFailure(deps, client, null, error, log);
  if (state !== undefined) return null;
  const attempt = await deps.authorizationRequests.failNewest(client.provider.id, problem, cookies);
  return attempt === null ? null : targetScreen('problem', attempt);
}

/**
 * Responds to a further request of a callback, which was delivered twice, reloaded, or repeated after an aborted
 * request. The code is never exchanged again, since a provider that sees a code twice also ends the first session. The
 * same browser gets the same outcome.
 */
async function repeatCallback(
  { authorizationRequests, sessions }: Deps,
  state: string,
  { cookies }: RequestContext,
): Promise<Target> {
  const attempt = authorizationRequests.attemptOf(state);
  const value = authorizationRequests.sessionCookieValueOf(state, cookies);
  const previous = await authorizationRequests.waitFor(state, cookies);
  if (previous?.outcome?.kind === 'signed-in') {
    if (value !== null && (await sessions.resume(value, cookies))) {
      authorizationRequests.clearCookie(previous.state_hash, cookies);
      return { location: previous.return_to, signedIn: { hash: previous.state_hash, isRepeated: true } };
    }
  } else if (previous?.outcome)
    return targetScreen(previous.outcome.kind === 'proof' ? 'proof' : 'problem', attempt);
  const cookie = cookies.get(sessionCookie);
  const person = await sessions.find(cookie);
  if (!person) return targetScreen('problem', attempt);
  return { location: previous?.return_to ?? (await returnAddress()) };

  /**
   * Returns the sign-in's return address if the sign-in started this browser's session. The cookie of the sign-in
   * itself is cleared by then.
   */
  async function returnAddress(): Promise<string> {
    const request = await authorizationRequests.read(Buffer.from(attempt, 'base64url'));
    const isOfSession =
      request?.outcome?.kind === 'signed-in' &&
      request.outcome.session === sessions.hashOf(cookie as string).toString('base64');
    return isOfSession ? request.return_to : startPage;
  }
}

/**
 * Returns when the user last authenticated at the provider; null if unknown, as `auth_time` is optional (OpenID Connect Core, section 2).
 * Without mail there is no code to confirm with, so the current time is assumed.
 */
function authenticatedAt({ authTime, claims: { iat } }: CodeExchange, { mail, now }: Deps): Date | null {
  if (authTime === null || typeof iat !== 'number') return mail.sends ? null : new Date(now());
  // Both claims are by the provider's clock.
  return new Date(Math.max(now() - Math.max(iat - authTime, 0) * 1000, 0));
}

/** Redirects even after an unexpected error: the browser shows this response as a page, so JSON would be unreadable. */
async function sendTarget(
  reply: FastifyReply,
  log: FastifyBaseLogger,
  target: Promise<Target>,
  authorizationRequests: AuthorizationRequests,
): Promise<FastifyReply> {
  const { location, signedIn } = await target.catch((error: unknown): Target => {
    log.error({ err: error }, 'a sign-in callback failed unexpectedly');
    return { location: '/login?sign-in=problem' };
  });
  if (signedIn) void storeReceipt(reply, log, signedIn, authorizationRequests);
  return redirect(reply, location);
}

/**
 * Stores whether the browser received the response with its session's cookie. For the first request of a callback,
 * success is not stored.
 */
async function storeReceipt(
  { raw }: FastifyReply,
  log: FastifyBaseLogger,
  { hash, isRepeated }: NonNullable<Target['signedIn']>,
  authorizationRequests: AuthorizationRequests,
): Promise<void> {
  const isReceived = await finished(raw).then(
    () => true,
    () => false,
  );
  try {
    if (!isReceived || isRepeated) await authorizationRequests.setReceived(hash, isReceived);
  } catch (error) {
    log.warn({ err: error }, 'could not store whether a browser received its session');
  }
}

const targetScreen = (kind: 'problem' | 'proof', attempt: string): Target => ({
  location: `/login?sign-in=${kind}&attempt=${attempt}`,
});

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
  log: FastifyBaseLogger,
): StoredProblem {
  const isOwn = error instanceof Failure;
  const failure = isOwn ? error : explainOrLog(error, provider.name, log);
  const { code } = failure.text;
  log.info(
    { way: provider.id, invitation: request?.invitation_id ?? null, ...loggedFailure(failure) },
    'a sign-in failed',
  );
  // Cancelling and refusals by this server are not failures of the provider.
  if (!isOwn && code !== signInProblems.cancelled.code) recordProviderResult(provider.id, code);
  return { kind: 'problem', ...failure.text, canRetry: !finalCodes.has(code) };
}
