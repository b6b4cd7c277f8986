/**
 * Where browsers come back from a provider. Whatever happened, the answer leads on: to where the person wanted to go, or to the screen
 * that tells what is the matter. The 303 keeps the address with the code out of the history.
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
import type { Codes } from '../email-codes/email-codes.ts';
import { sessionCookie } from '../sessions/sessions.ts';
import { takeLogoutTokens, type BackchannelDeps } from './backchannel-logout.ts';
import type { Exchanged, OidcClient } from './provider/oidc-client.ts';
import { authorizationErrorIn, explainFailure, loggedFailure } from './provider/oidc-failure.ts';
import type { createOidcSignIn } from './oidc-sign-in.ts';
import { beginProof } from './email-verification.ts';
import { startPage } from './return-url.ts';
import type { Problem, Transaction } from './authorization-requests/request-row.ts';
import type { Transactions } from './authorization-requests/request-store.ts';
import type { SignInContext } from '../sign-in-context.ts';

/** Of an answer that a provider has posted. */
const formLimitBytes = 32 * 1024;

type Deps = SignInContext & { signIn: ReturnType<typeof createOidcSignIn>; codes: Codes };

/** Mounts the addresses of all ways: what browsers and providers call by themselves, past the contract. */
export function serveCallbacks(app: FastifyInstance, deps: Deps & BackchannelDeps): void {
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
      const by = { cookies: cookiesOf(request, reply), origin: originOf(request), log: request.log };
      return lead(reply, request.log, comeBack(deps, client, query, by), deps.transactions);
    });
    // response_mode=form_post comes from another site, and so without our cookies: the browser asks once more by itself.
    scope.post<{ Params: { way: string } }>(callbackPath(':way'), async (request, reply) => {
      if (!deps.clients.has(request.params.way)) return reply.callNotFound();
      const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
      return leadTo(reply, `${callbackPath(request.params.way)}?${form.toString()}`);
    });
    takeLogoutTokens(scope, deps);
    done();
  });
}

const leadTo = (reply: FastifyReply, location: string) =>
  reply.code(303).header('cache-control', 'no-store').header('location', location).send();

type By = { cookies: Cookies; origin: Origin; log: FastifyBaseLogger };

/** Address that the browser is sent to, and where this signs it in, the sign-in; `isRepeated` for further requests of one callback. */
type Target = { location: string; signedIn?: { hash: Buffer; isRepeated: boolean } };

async function comeBack(deps: Deps, client: OidcClient, query: string, by: By): Promise<Target> {
  const { transactions } = deps;
  const parameters = new URLSearchParams(query);
  const states = parameters.getAll('state');
  const state = states.length === 1 ? (states[0] as string) : '';
  const attempt = transactions.attemptOf(state);
  const transaction = await transactions.take(state, client.provider.id, by.cookies);
  if (!transaction)
    return (await failUnmatched(deps, client, parameters, by)) ?? (await comeAgain(deps, state, by));
  try {
    const exchanged = await client.exchange(query, { state, ...transactions.secretsOf(state) });
    // Not the exchange: what the provider ends while the browser is on its way back counts too.
    const answer = {
      ...exchanged,
      askedAt: transaction.created_at.getTime(),
      provenAt: provenAt(exchanged, deps),
    };
    const sessionValue = transactions.sessionOf(state, by.cookies) as string;
    const ended = await deps.signIn.finish(client, transaction, answer, { ...by, sessionValue });
    if (ended.kind === 'proof') {
      await beginProof(deps, client.provider, transaction, ended, by);
      return screenOf('proof', attempt);
    }
    await transactions.finish(transaction, deps.sessions.hashOf(sessionValue), by.cookies);
    deps.recordProviderResult(client.provider.id, null);
    return {
      location: transaction.return_to,
      signedIn: { hash: transaction.state_hash, isRepeated: false },
    };
  } catch (error) {
    await transactions.keepOutcome(
      transaction.state_hash,
      tell(deps, client, transaction, error, by.log),
      null,
    );
    return screenOf('problem', attempt);
  }
}

/**
 * Logs and counts an error answer that matches no open sign-in. Without a state it is attributed to the browser's newest sign-in with
 * this provider. Returns null for other answers, and if the browser has no such sign-in.
 */
async function failUnmatched(
  deps: Deps,
  client: OidcClient,
  parameters: URLSearchParams,
  { cookies, log }: By,
): Promise<Target | null> {
  const error = authorizationErrorIn(parameters);
  if (!error) return null;
  const state = parameters.getAll('state').find((value) => value !== '');
  // Reported at the first request.
  if (state !== undefined && (await deps.transactions.waitFor(state, cookies))) return null;
  const problem = tell(deps, client, null, error, log);
  if (state !== undefined) return null;
  const attempt = await deps.transactions.failNewest(client.provider.id, problem, cookies);
  return attempt === null ? null : screenOf('problem', attempt);
}

/**
 * Answers a further request of a callback: it was delivered twice, reloaded, or the request before was aborted. The code is never
 * exchanged again, since a provider that sees a code twice also ends the first session. The same browser gets the same outcome.
 */
async function comeAgain({ transactions, sessions }: Deps, state: string, { cookies }: By): Promise<Target> {
  const attempt = transactions.attemptOf(state);
  const value = transactions.sessionOf(state, cookies);
  const before = await transactions.waitFor(state, cookies);
  if (before?.outcome?.kind === 'signed-in') {
    if (value !== null && (await sessions.resume(value, cookies))) {
      transactions.release(before.state_hash, cookies);
      return { location: before.return_to, signedIn: { hash: before.state_hash, isRepeated: true } };
    }
  } else if (before?.outcome) return screenOf(before.outcome.kind === 'proof' ? 'proof' : 'problem', attempt);
  const cookie = cookies.get(sessionCookie);
  const here = await sessions.find(cookie);
  if (!here) return screenOf('problem', attempt);
  return { location: before?.return_to ?? (await addressWanted()) };

  /** The sign-in may be the one that this browser's session began with; its own cookie is cleared then. */
  async function addressWanted(): Promise<string> {
    const known = await transactions.read(Buffer.from(attempt, 'base64url'));
    const isOfSession =
      known?.outcome?.kind === 'signed-in' &&
      known.outcome.session === sessions.hashOf(cookie as string).toString('base64');
    return isOfSession ? known.return_to : startPage;
  }
}

/**
 * When somebody proved to the provider who they are: whoever is signed in there comes back without being asked. It need not tell (OpenID
 * Connect Core, section 2: `auth_time`); nobody knows then, unless nothing else could prove it: without mails there are no codes.
 */
function provenAt({ authTime, claims: { iat } }: Exchanged, { mail, now }: Deps): Date | null {
  if (authTime === null || typeof iat !== 'number') return mail.sends ? null : new Date(now());
  // Both by the provider's clock.
  return new Date(Math.max(now() - Math.max(iat - authTime, 0) * 1000, 0));
}

/** A person who waits at an address of the provider's must not meet an error in JSON: the screen asks for the rest. */
async function lead(
  reply: FastifyReply,
  log: FastifyBaseLogger,
  target: Promise<Target>,
  transactions: Transactions,
): Promise<FastifyReply> {
  const { location, signedIn } = await target.catch((error: unknown): Target => {
    log.error({ err: error }, 'a sign-in could not be finished');
    return { location: '/login?sign-in=problem' };
  });
  if (signedIn) void storeReceipt(reply, log, signedIn, transactions);
  return leadTo(reply, location);
}

/** Stores whether the browser received the answer with its session's cookie; the first request of a callback stores it only if not. */
async function storeReceipt(
  { raw }: FastifyReply,
  log: FastifyBaseLogger,
  { hash, isRepeated }: NonNullable<Target['signedIn']>,
  transactions: Transactions,
): Promise<void> {
  const isReceived = await finished(raw).then(
    () => true,
    () => false,
  );
  try {
    if (!isReceived || isRepeated) await transactions.setReceived(hash, isReceived);
  } catch (error) {
    log.warn({ err: error }, 'whether a browser received its session could not be stored');
  }
}

const screenOf = (kind: 'problem' | 'proof', attempt: string): Target => ({
  location: `/login?sign-in=${kind}&attempt=${attempt}`,
});

/** Signing in again does not help somebody who is refused for who they are. */
const final = new Set<string>([personErrors.disabled.code, personErrors.invitationRevoked.code]);

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

/** What is told of a failure. Everything of it is logged but what the provider sent. */
function tell(
  { recordProviderResult }: Deps,
  { provider }: OidcClient,
  transaction: Transaction | null,
  error: unknown,
  log: FastifyBaseLogger,
): Problem {
  const isOurs = error instanceof Failure;
  const failure = isOurs ? error : explainOrLog(error, provider.name, log);
  const { code } = failure.text;
  log.info(
    { way: provider.id, invitation: transaction?.invitation_id ?? null, ...loggedFailure(failure) },
    'a sign-in failed',
  );
  // What a person decides, or is refused for, is no failure of the way.
  if (!isOurs && code !== signInProblems.cancelled.code) recordProviderResult(provider.id, code);
  return { kind: 'problem', ...failure.text, canRetry: !final.has(code) };
}
