/**
 * Back-channel logout: a provider tells that somebody signed out there, or was signed out (OpenID Connect Back-Channel Logout 1.0). Its
 * token is verified like an id token and taken once; exactly the sessions that it names end.
 */
import { requestErrors } from '@vestibule/contract/request-errors';
import { backchannelLogoutPath } from '@vestibule/contract/sign-in';
import type { FastifyInstance } from 'fastify';
import { errors, jwtVerify } from 'jose';
import { execute, type Timed } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { originOf } from '../../../platform/http/mount.ts';
import { providerClockToleranceSeconds } from '../../../platform/identity/discover-provider.ts';
import { detachConfirmations, type SessionSelector } from '../sessions/session-store.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { noteEnded, type LogoutToken } from './ended-provider-sessions.ts';
import type { OidcClient } from './provider/oidc-client.ts';

const eventName = 'http://schemas.openid.net/event/backchannel-logout';
const maximumAgeSeconds = 300;
const longestToken = 16_384;
const unfetched = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC']);

export type BackchannelDeps = Timed & {
  clients: ReadonlyMap<string, OidcClient>;
  sessions: Sessions;
};

export function takeLogoutTokens(scope: FastifyInstance, deps: BackchannelDeps): void {
  scope.post<{ Params: { way: string } }>(backchannelLogoutPath(':way'), async (request, reply) => {
    const client = deps.clients.get(request.params.way);
    if (!client) return reply.callNotFound();
    reply.header('cache-control', 'no-store');
    const tokens = new URLSearchParams(typeof request.body === 'string' ? request.body : '').getAll(
      'logout_token',
    );
    const token = tokens.length === 1 ? await verify(client, tokens[0] as string, deps.now()) : null;
    if (!token) {
      request.log.warn({ way: client.provider.id }, 'a logout token was refused');
      return reply.code(400).send({ error: 'invalid_request' });
    }
    // Before the sessions end: one that begins meanwhile is either among these, or finds this.
    await noteEnded(deps.database, token, deps.now());
    await deps.sessions.end(
      endedBy(token),
      'by the provider',
      null,
      originOf(request),
      async (transaction) => {
        const rowCount = await execute(transaction, {
          text: 'insert into logout_token_ids (issuer, jti, ends_at) values ($1, $2, $3) on conflict do nothing',
          values: [token.issuer, token.jti, token.endsAt],
        });
        if (rowCount === 1) await detachConfirmations(transaction, endedBy(token));
        return rowCount === 1;
      },
    );
    return reply.code(200).send();
  });
}

/** Of a browser where the token names one, and of those of which the provider had not said which they are; else of the person in all of them. */
const endedBy = ({ issuer, sid, sub }: LogoutToken): SessionSelector =>
  sid === null ? { issuer, subject: sub as string } : { issuer, sid, subject: sub };

/** Null for whatever is wrong with it. Throws where the provider's keys cannot be had: it tries again then. */
async function verify(client: OidcClient, token: string, now: number): Promise<LogoutToken | null> {
  if (token.length > longestToken) return null;
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
    const isOne =
      /^(?:jwt|logout\+jwt)$/i.test(protectedHeader.typ ?? 'JWT') &&
      nonce === undefined &&
      typeof event === 'object' &&
      event !== null &&
      !Array.isArray(event) &&
      isName(jti) &&
      (sub === undefined || isName(sub)) &&
      (sid === undefined || isName(sid)) &&
      (sub !== undefined || sid !== undefined);
    if (!isOne) return null;
    return {
      issuer,
      sub: isName(sub) ? sub : null,
      sid: isName(sid) ? sid : null,
      jti,
      // In whole seconds, as `auth_time` is.
      issuedAt: new Date(Math.floor(iat as number) * 1000),
      // Taken for as long as it could be shown again.
      endsAt: new Date(((exp as number) + providerClockToleranceSeconds) * 1000),
    };
  } catch (error) {
    // Its keys could not be fetched.
    if (!(error instanceof errors.JOSEError) || unfetched.has(error.code))
      throw fail(requestErrors.providerUnreachable, { cause: error });
    return null;
  }
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 255 && !value.includes('\0');
