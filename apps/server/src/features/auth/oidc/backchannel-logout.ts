/** OpenID Connect Back-Channel Logout 1.0. A logout token is verified like an id token, is accepted once, and ends the sessions it names. */
import { requestErrors } from '@vestibule/contract/request-errors';
import { backchannelLogoutPath } from '@vestibule/contract/sign-in';
import type { FastifyInstance } from 'fastify';
import { errors } from 'jose';
import { execute, hasRow, type DatabaseDeps, type Database } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { originOf } from '../../../platform/http/mount.ts';
import { providerClockToleranceSeconds } from '../../../platform/identity/discover-provider.ts';
import { detachConfirmations, recheckSessions, type SessionSelector } from '../sessions/session-store.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { AuthorizationTimes, OidcClient } from './oidc-client.ts';

const eventName = 'http://schemas.openid.net/event/backchannel-logout';
const maximumAgeSeconds = 300;
const maximumTokenLength = 16_384;
const fetchErrorCodes = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC']);

export type BackchannelDeps = DatabaseDeps & {
  findClient: (methodId: string) => Promise<OidcClient | null>;
  sessions: Sessions;
};

export function mountBackchannelLogout(scope: FastifyInstance, deps: BackchannelDeps): void {
  const path = backchannelLogoutPath(':way');
  const config = { access: 'public' as const };
  scope.post<{ Params: { way: string } }>(path, { config }, async (request, reply) => {
    const client = await deps.findClient(request.params.way);
    if (!client) return reply.callNotFound();
    reply.header('cache-control', 'no-store');
    const tokens = new URLSearchParams(typeof request.body === 'string' ? request.body : '').getAll(
      'logout_token',
    );
    const token = await verify(client, tokens, deps.now());
    if (typeof token === 'string') {
      request.log.warn({ way: client.provider.id, reason: token }, 'a logout token was rejected');
      return reply.code(400).send({ error: 'invalid_request' });
    }
    // Recorded before the sessions are ended: a session that starts concurrently is either ended below or finds this record.
    await recordEndedSession(deps.database, token, deps.now());
    await deps.sessions.end(
      sessionsOf(token),
      'by the provider',
      null,
      originOf(request),
      async (transaction) => {
        const rowCount = await execute(transaction)`
          insert into logout_token_ids (issuer, jti, ends_at) values (${token.issuer}, ${token.jti}, ${token.endsAt})
            on conflict do nothing`;
        if (rowCount === 0) return false;
        await detachConfirmations(transaction, sessionsOf(token));
        // Keycloak names a single session also if it ended all of the person (https://github.com/keycloak/keycloak/issues/22914).
        if (token.sub !== null)
          await recheckSessions(transaction, { issuer: token.issuer, subject: token.sub });
        return true;
      },
    );
    return reply.code(200).send();
  });
}

/**
 * Selects the sessions with the token's `sid`, and the sessions of its person that have no `sid`. If the token has no
 * `sid`, selects all sessions of its person.
 */
const sessionsOf = ({ issuer, sid, sub }: LogoutToken): SessionSelector =>
  sid === null ? { issuer, subject: sub as string } : { issuer, sid, subject: sub };

/** Returns the reason for an invalid token. Throws if the keys cannot be fetched, so that the provider retries. */
async function verify(client: OidcClient, tokens: string[], now: number): Promise<LogoutToken | string> {
  const [token = ''] = tokens;
  if (tokens.length !== 1 || token.length > maximumTokenLength) return 'not one token';
  try {
    const { payload, protectedHeader } = await client.verify(token, {
      maxTokenAge: maximumAgeSeconds,
      clockTolerance: providerClockToleranceSeconds,
      currentDate: new Date(now),
      // Without `exp`, which several providers omit: the maximum age limits every token.
      requiredClaims: ['iat', 'jti', 'events'],
    });
    const { iss, sub, sid, jti, events, nonce, iat } = payload as Record<string, unknown>;
    const event = (events as Record<string, unknown> | null)?.[eventName];
    const isLogoutToken =
      /^(?:jwt|logout\+jwt)$/i.test(protectedHeader.typ ?? 'JWT') &&
      nonce === undefined &&
      typeof event === 'object' &&
      event !== null &&
      !Array.isArray(event) &&
      isIdentifier(jti) &&
      (sub === undefined || isIdentifier(sub)) &&
      (sid === undefined || isIdentifier(sid)) &&
      (sub !== undefined || sid !== undefined);
    if (!isLogoutToken) return 'not the claims of a logout token';
    return {
      issuer: iss as string,
      sub: isIdentifier(sub) ? sub : null,
      sid: isIdentifier(sid) ? sid : null,
      jti,
      // Whole seconds, like `auth_time`.
      issuedAt: new Date(Math.floor(iat as number) * 1000),
      // The token could be replayed until then.
      endsAt: new Date(((iat as number) + maximumAgeSeconds + providerClockToleranceSeconds) * 1000),
    };
  } catch (error) {
    if (!(error instanceof errors.JOSEError) || fetchErrorCodes.has(error.code))
      throw fail(requestErrors.providerUnreachable, { cause: error });
    const { code, claim } = error as errors.JWTClaimValidationFailed;
    return claim ? `${code} ${claim}` : code;
  }
}

const isIdentifier = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 255 && !value.includes('\0');

/** Longer than any sign-in: ten minutes at the provider, and ten after each of five mailed codes. */
const retentionMs = 75 * 60_000;

type LogoutToken = {
  issuer: string;
  sub: string | null;
  sid: string | null;
  jti: string;
  /** By the provider's clock. */
  issuedAt: Date;
  endsAt: Date;
};

type SignIn = { issuer: string; subject: string; sid: string | null } & AuthorizationTimes;

/** Issuers have no fragment (OpenID Connect Discovery, section 3), so these rows do not collide with accepted logout tokens. */
const endedIssuerOf = (issuer: string) => `${issuer}#ended`;
const noSid = '';
const key = (sid: string | null, sub: string | null) => JSON.stringify([sid, sub]);

/**
 * Records the end of the session `sid` and of the person's sessions without a `sid`; if the token has no `sid`, of all
 * sessions of the person. A sign-in that is pending then, such as in the redirect or before an e-mailed code, starts no session. A replayed
 * token changes nothing.
 */
async function recordEndedSession(
  database: Database,
  { issuer, sid, sub, jti, issuedAt }: LogoutToken,
  at: number,
): Promise<void> {
  const keys = [key(sid, sub), ...(sid !== null && sub !== null ? [key(noSid, sub)] : [])];
  await execute(database)`
    insert into logout_token_ids (issuer, jti, ends_at, issued_at)
      select ${endedIssuerOf(issuer)}, unnest(${keys}::text[]), ${new Date(at + retentionMs)}, ${issuedAt}
    where not exists (select from logout_token_ids where issuer = ${issuer} and jti = ${jti})
    on conflict (issuer, jti) do update set ends_at = greatest(logout_token_ids.ends_at, excluded.ends_at),
      issued_at = greatest(logout_token_ids.issued_at, excluded.issued_at)`;
}

/**
 * Returns whether a logout since the start of the authorization request ends the sign-in. A logout of a named session
 * always does. A logout of the person does not if the user authenticated in the same second or later, because some
 * providers end the old session on reauthentication.
 */
export function isEndedSince(database: Database, signIn: SignIn): Promise<boolean> {
  const { issuer, subject, sid, askedAt, authTime } = signIn;
  const keys = [key(null, subject), key(sid ?? noSid, subject), ...(sid === null ? [] : [key(sid, null)])];
  const authenticatedAt = typeof authTime === 'number' ? new Date(authTime * 1000) : null;
  return hasRow(database, { name: 'find-ended-at-provider' })`
    select from logout_token_ids
    where issuer = ${endedIssuerOf(issuer)} and jti = any(${keys}) and ends_at >= ${new Date(askedAt + retentionMs)}
      and (jti = any(${[key(null, subject), key(noSid, subject)]}) and issued_at <= ${authenticatedAt}) is not true limit 1`;
}
