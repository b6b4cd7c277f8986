/** Rechecks used sessions with the refresh token. A refusal ends the session, an unreachable provider does not. */
import type { Origin } from '../../../platform/http/implement.ts';
import { isInvalidGrant, loggedFailure } from '../oidc/oidc-failure.ts';
import { storeRefreshToken, claimRenewal } from './session-store.ts';
import type { SignInContext } from '../sign-in-context.ts';

const renewalIntervalMs = 15 * 60_000;

type Renew = (sessionId: string, refreshedAt: Date, origin: Origin) => void;

export function createRenewal(deps: SignInContext): Renew {
  const { database, sessions, now } = deps;
  const pending = new Set<string>();

  return (sessionId, refreshedAt, origin) => {
    if (refreshedAt.getTime() + renewalIntervalMs > now() || pending.has(sessionId)) return;
    pending.add(sessionId);
    void renew(sessionId, origin)
      .catch((error: unknown) =>
        deps.logger.warn(loggedFailure(error), 'renewing a session at its provider failed'),
      )
      .finally(() => pending.delete(sessionId));
  };

  async function renew(sessionId: string, origin: Origin): Promise<void> {
    const at = now();
    // Only one process may use a refresh token: providers with rotation revoke reused ones.
    const claimed = await claimRenewal(database, sessionId, new Date(at), new Date(at - renewalIntervalMs));
    const client = claimed && (await deps.findClient(claimed.way));
    if (!client) return;
    const end = () =>
      sessions.end({ personId: claimed.personId, id: sessionId }, 'no longer at the provider', null, origin);
    try {
      const renewed = await client.renew(
        sessions.tokenEncryption.decrypt(claimed.refreshToken),
        claimed.subject,
      );
      if (!renewed.isSame) await end();
      else
        await storeRefreshToken(database, sessionId, {
          refreshToken: sessions.tokenEncryption.encrypt(renewed.refreshToken),
          idToken: renewed.idToken === null ? null : sessions.tokenEncryption.encrypt(renewed.idToken),
        });
    } catch (error) {
      if (!isInvalidGrant(error)) throw error;
      await end();
    }
  }
}
