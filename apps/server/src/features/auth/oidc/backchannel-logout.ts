/** OpenID Connect Back-Channel Logout 1.0. A logout token is verified like an id token, is accepted once, and ends the sessions it names. */
import { requestErrors } from '@vestibule/contract/request-errors';
import { backchannelLogoutPath } from '@vestibule/contract/sign-in';
import type { FastifyInstance } from 'fastify';
import { errors, jwtVerify } from 'jose';
import { execute, type DatabaseDeps } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { originOf } from '../../../platform/http/mount.ts';
import { providerClockToleranceSeconds } from '../../../platform/identity/discover-provider.ts';
import { detachConfirmations, type SessionSelector } from '../sessions/session-store.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { recordEndedSession, type LogoutToken } from './ended-provider-sessions.ts';
import type { OidcClient } from './provider/oidc-client.ts';

const eventName = 'http://schemas.openid.net/event/backchannel-logout';
const maximumAgeSeconds = 300;
const maximumTokenLength = 16_384;
const fetchErrorCodes = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC']);

export type BackchannelDeps = DatabaseDeps & {
  clients: ReadonlyMap<string, OidcClient>;
  sessions: Sessions;
};

export function mountBackchannelLogout(scope: FastifyInstance, deps: BackchannelDeps): void {
  scope.post<{ Params: { way: string } }>(backchannelLogoutPath(':way'), async (request, reply) => {
    const client = deps.clients.get(request.params.way);
    if (!client) return reply.callNotFound();
    reply.header('cache-control', 'no-store');
    const tokens = new URLSearchParams(typeof request.body === 'string' ? request.body : '').getAll(
      'logout_token',
    );
    const token = tokens.length === 1 ? await verify(client, tokens[0] as string, deps.now()) : null;
    if (!token) {
      request.log.warn({ way: client.provider.id }, 'a logout token was rejected');
      return reply.code(400).send({ error: 'invalid_request' });
    }
    // Recorded before the sessions are ended: a session that starts concurrently is either ended below or finds this
    // record.
    await recordEndedSession(deps.database, token, deps.now());
    await deps.sessions.end(
      sessionsOf(token),
      'by the provider',
      null,
      originOf(request),
      async (transaction) => {
        const rowCount = await execute(transaction, {
          text: 'insert into logout_token_ids (issuer, jti, ends_at) values ($1, $2, $3) on conflict do nothing',
          values: [token.issuer, token.jti, token.endsAt],
        });
        if (rowCount === 1) await detachConfirmations(transaction, sessionsOf(token));
        return rowCount === 1;
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

/** Returns null for an invalid token. Throws if the keys cannot be fetched, so that the provider retries. */
async function verify(client: OidcClient, token: string, now: number): Promise<LogoutToken | null> {
  if (token.length > maximumTokenLength) return null;
  const { issuer, keys, algorithms } = await client.verification().catch((cause: unknown) => {
    throw fail(requestErrors.providerUnreachable, { cause });
  });
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer,
      audience: client.provider.clientId,
      algorithms,
      maxTokenAge: maximumAgeSeconds,
      clockTolerance: providerClockToleranceSeconds,
      currentDate: new Date(now),
      requiredClaims: ['iat', 'exp', 'jti', 'events'],
    });
    const { sub, sid, jti, events, nonce, iat, exp } = payload as Record<string, unknown>;
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
    if (!isLogoutToken) return null;
    return {
      issuer,
      sub: isIdentifier(sub) ? sub : null,
      sid: isIdentifier(sid) ? sid : null,
      jti,
      // Whole seconds, like `auth_time`.
      issuedAt: new Date(Math.floor(iat as number) * 1000),
      // The token could be replayed until then.
      endsAt: new Date(((exp as number) + providerClockToleranceSeconds) * 1000),
    };
  } catch (error) {
    if (!(error instanceof errors.JOSEError) || fetchErrorCodes.has(error.code))
      throw fail(requestErrors.providerUnreachable, { cause: error });
    return null;
  }
}

const isIdentifier = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 255 && !value.includes('\0');
