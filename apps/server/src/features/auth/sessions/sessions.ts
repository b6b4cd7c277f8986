/** A session is 256 random bits in a cookie, stored as a keyed hash. Every sign-in creates a new one. */
import { isConnectionMethod } from '../../../platform/config/sign-in-methods.ts';
import { cutText } from '@vestibule/contract/rules/cut-text';
import { randomBytes } from 'node:crypto';
import { watchChanges } from '@vestibule/contract/events';
import { personErrors } from '@vestibule/contract/people';
import { requestErrors } from '@vestibule/contract/request-errors';
import { sessionsMaximum, backgroundHeader, signInsPerHour } from '@vestibule/contract/rules/limits';
import { signInProblems } from '@vestibule/contract/sign-in';
import type { FastifyRequest } from 'fastify';
import { personAudit, recordEach } from '../../../platform/audit/audit-log.ts';
import {
  retryOnDeadlock,
  type Database,
  type Queryable,
  type DatabaseDeps,
} from '../../../platform/database/database.ts';
import { createBatchLoader } from '../../../platform/database/batch-loader.ts';
import { fail, assertWithinRateLimit, required } from '../../../platform/errors/failure.ts';
import { isSafe, isSameOrigin, type CallerKind } from '../../../platform/http/access.ts';
import { readCookie, type Cookies } from '../../../platform/http/cookies.ts';
import type { Caller, Origin } from '../../../platform/http/implement.ts';
import { createKeyedHash } from '../../../platform/identity/keyed-hash.ts';
import { createEncryption } from '../../../platform/identity/encryption.ts';
import { markSeen, type Identity, type PersonRow, lockPeople } from '../../people/people-store.ts';

import {
  deleteSessions,
  findSessions,
  insertSessions,
  isExpired,
  touchSession,
  type SessionSelector,
  type FoundSession,
  type NewSession,
  type SessionLimits,
  type SessionRow,
} from './session-store.ts';
import { createRateLimit, perHour } from '../../../platform/database/rate-limit.ts';

export const sessionCookie = '__Host-vestibule';
const valuePattern = /^[\w-]{43}$/;
const touchIntervalMs = 60_000;
const lastSeenIntervalMs = 5 * 60_000;
const userAgentMaxLength = 300;
/** Maximum length of stored provider tokens. Longer ones would not fit into a logout URL. */
const tokenMaxLength = 8_000;

/** Reason of `session.ended` in the audit log for sessions that a user ends in their list of sessions. */
export const userEndReason = 'by themselves';
type EndReason =
  | 'signed out'
  | typeof userEndReason
  | 'by an administrator'
  | 'by the provider'
  | 'no longer at the provider'
  | 'by the organization'
  | 'too many sessions';

/** Time of authentication by our clock; null if it is unknown, absent if the user authenticated just now. */
export type AuthenticationTime = { authenticatedAt?: Date | null | undefined };

export type ProviderTokens = { idToken: string | null; refreshToken: string | null; sid: string | null };

/** Key of a sign-in with a session. Sign-ins with a token have another key. */
export const sessionKey = (sessionId: string) => `session ${sessionId}`;

export const signInOf = (session: string, at: Date, { address, userAgent = '' }: Origin) => ({
  session,
  at,
  address,
  userAgent: cutText(userAgent, userAgentMaxLength),
});

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(deps: {
  database: Database;
  secret: Buffer;
  limits: () => Promise<SessionLimits>;
  signInMethodIds: ReadonlySet<string>;
  now: () => number;
}) {
  const { database, now } = deps;
  const hashOf = createKeyedHash(deps.secret, 'vestibule session at rest');
  const tokenEncryption = createEncryption(deps.secret, 'vestibule tokens of providers');
  const findByHash = createBatchLoader((hashes: Buffer[]) => findSessions(database, hashes));
  const insertBatch = (added: NewSession[]) => insertSessions(database, added, new Date(now()));
  const insertSession = createBatchLoader(insertBatch, 1);
  const signIns = createSignInLimit(deps);
  const end = createEndSessions(database);
  const encryptToken = (token: string | null) =>
    token === null || token.length > tokenMaxLength ? null : tokenEncryption.encrypt(token);

  const hashOfCookie = (value: string | null): Buffer | null =>
    value !== null && valuePattern.test(value) ? hashOf(value) : null;

  async function find(value: string | null): Promise<FoundSession | null> {
    const hash = hashOfCookie(value);
    if (!hash) return null;
    const [found, limits] = await Promise.all([findByHash(hash), deps.limits()]);
    return found && isValid(found, limits) ? found : null;
  }

  /**
   * Returns whether a stored session has not expired. Disabling a sign-in method ends its sessions. An organization does not sign in
   * administrators of the site, even if they became that during the session.
   */
  const isValid = (
    session: Pick<FoundSession, 'way' | 'began_at' | 'session_seen_at'> & { role: string },
    limits: SessionLimits,
  ): boolean =>
    (isConnectionMethod(session.way) ? session.role !== 'admin' : deps.signInMethodIds.has(session.way)) &&
    !isExpired(session, limits, now());

  return {
    tokenEncryption,
    find,
    limits: deps.limits,
    isValid,

    refuseTooOften: (personId: string) => signIns.refuseTooOften(personId),

    /** Creates a session for this browser and records the sign-in, in one transaction with `inTransaction`. */
    async create(
      person: Pick<PersonRow, 'id' | 'tokens_valid_after'>,
      details: Identity &
        ProviderTokens &
        AuthenticationTime & { id: string; way: string; cookies: Cookies; origin: Origin },
      inTransaction?: (transaction: Queryable) => Promise<void>,
    ): Promise<void> {
      await signIns.count(person.id);
      const value = randomBytes(32).toString('base64url');
      const at = new Date(now());
      const { session, address, userAgent } = signInOf(sessionKey(details.id), at, details.origin);
      const newSession: NewSession = {
        hash: hashOf(value),
        id: details.id,
        personId: person.id,
        tokensValidAfter: person.tokens_valid_after,
        issuer: details.issuer,
        subject: details.subject,
        way: details.way,
        sid: details.sid,
        signIn: session,
        address,
        userAgent,
        encryptedRefreshToken: encryptToken(details.refreshToken),
        encryptedIdToken: encryptToken(details.idToken),
        authenticatedAt: details.authenticatedAt === undefined ? at : details.authenticatedAt,
        replaced: hashOfCookie(details.cookies.get(sessionCookie)),
      };
      const previousCount = await (inTransaction
        ? database.transaction(async (transaction) => {
            const [[counted]] = await Promise.all([
              insertSessions(transaction, [newSession], at).then((all) => all.map(requireCreated)),
              inTransaction(transaction),
            ]);
            return counted as number;
          })
        : insertSession(newSession).then(requireCreated));
      if (previousCount >= sessionsMaximum)
        await end(
          { personId: person.id, id: details.id, maximumOthers: sessionsMaximum - 1 },
          'too many sessions',
          null,
          details.origin,
        );
      details.cookies.set(sessionCookie, value, Math.floor((await deps.limits()).absoluteMs / 1000));
    },

    async endHere(cookies: Cookies, origin: Origin): Promise<SessionRow | null> {
      const hash = hashOfCookie(cookies.get(sessionCookie));
      const [ended] = hash ? await end({ hash }, 'signed out', null, origin) : [];
      // Clear the cookie last, so that the user can retry after a failure.
      cookies.clear(sessionCookie);
      return ended ?? null;
    },

    end,
  };
}

type EndSessions = (
  selector: SessionSelector,
  reason: EndReason,
  actor: Pick<Caller, 'id' | 'email'> | null,
  origin: Origin,
  inTransaction?: (transaction: Queryable) => Promise<boolean>,
) => Promise<SessionRow[]>;

/** Ends sessions in one transaction with their audit rows, which close open event streams in every process. */
const createEndSessions =
  (database: Database): EndSessions =>
  (selector, reason, actor, origin, inTransaction = () => Promise.resolve(true)) =>
    retryOnDeadlock(database, async (transaction) => {
      // Lock the person first, if known: concurrent calls delete the same sessions in any order and would deadlock.
      if ('personId' in selector) await lockPeople(transaction, [selector.personId]);
      if (!(await inTransaction(transaction))) return [];
      const rows = await deleteSessions(transaction, selector);
      if (rows.length > 0)
        await recordEach(transaction, rows, ({ person_id: id, email, way }) => {
          const caller = reason === 'signed out' ? { id, email } : actor;
          return personAudit.entry({ id, email }, 'session.ended', { caller, origin }, { why: reason, way });
        });
      return rows;
    });

/** Background requests do not extend the idle timeout. Clients that omit the header count as active. */
const isUserActivity = ({ headers, routeOptions }: FastifyRequest) =>
  headers[backgroundHeader] === undefined && routeOptions.url !== watchChanges.path;

/** Throws if the person or identity was removed, or signed out everywhere, during the sign-in. */
function requireCreated(previousCount: number | null): number {
  if (previousCount === null) throw fail(signInProblems.expired);
  return previousCount;
}

type SessionUse = Pick<
  FoundSession,
  'id' | 'session_id' | 'session_seen_at' | 'began_at' | 'last_seen_at' | 'refreshed_at' | 'is_renewable'
>;

/** Records the use of a session, at most once a minute, and checks it at its provider in the background. */
export type RecordSessionUse = (found: SessionUse, origin: Origin, isActivity: boolean) => Promise<void>;

export function createSessionUse(
  deps: DatabaseDeps & { renew: (sessionId: string, refreshedAt: Date, origin: Origin) => void },
): RecordSessionUse {
  const { database, now } = deps;
  return async (found, origin, isActivity) => {
    const at = now();
    if (isActivity && found.session_seen_at.getTime() + touchIntervalMs <= at)
      await touchSession(database, { id: found.session_id, at: new Date(at), address: origin.address });
    // The sign-in is recorded with the session, so `began_at` counts as activity.
    if (Math.max(found.last_seen_at?.getTime() ?? 0, found.began_at.getTime()) + lastSeenIntervalMs <= at)
      await markSeen(database, found.id, new Date(at));
    if (found.is_renewable) deps.renew(found.session_id, found.refreshed_at, origin);
  };
}

/** Callers with a session. */
export const sessionCallerKind = (deps: {
  sessions: Sessions;
  publicUrl: string;
  recordUse: RecordSessionUse;
}): CallerKind => ({
  name: 'session',
  secretOf: ({ headers }) => readCookie(headers.cookie, sessionCookie),

  async authenticate(value, request, origin) {
    if (!isSafe(request.method) && !isSameOrigin(request.headers, deps.publicUrl))
      throw fail(requestErrors.foreignOrigin);
    const found = required(await deps.sessions.find(value), requestErrors.signInNeeded);
    if (found.status === 'disabled') throw fail(personErrors.disabled);
    await deps.recordUse(found, origin, isUserActivity(request));
    return {
      id: found.id,
      email: found.email,
      displayName: found.display_name,
      isAdmin: found.role === 'admin',
      signedInAt: found.began_at.getTime(),
      authenticatedAt: found.authenticated_at?.getTime() ?? null,
      preferences: { theme: found.theme, language: found.language },
      session: found.session_id,
      signInMethod: found.way,
    };
  },
});

/** Limits successful sign-ins per person. Failed ones do not count, so attackers cannot lock out others. */
export function createSignInLimit(deps: DatabaseDeps) {
  const limit = createRateLimit(deps, perHour('sign-ins of a person', signInsPerHour));
  const refuse = (seconds: number) => assertWithinRateLimit(seconds, signInProblems.tooOften);
  const take = createBatchLoader(
    (personIds: string[]) => limit.takeEach(personIds),
    1,
    (personId) => [personId],
  );
  return {
    async count(personId: string): Promise<void> {
      refuse(await take(personId));
    },
    /** Counts in the transaction of the sign-in, so that a rollback reverts it. */
    async countWithin(transaction: Queryable, personId: string): Promise<void> {
      refuse(await limit.take(personId, 1, transaction));
    },
    /** Throws if this process knows that the limit is reached. Neither reads the database nor counts. */
    refuseTooOften(personId: string): void {
      refuse(limit.cachedWaitSeconds(personId));
    },
  };
}
