/**
 * Invite tokens: what the provider's sign-up policy receives as id_token_hint (statement H6; Microsoft,
 * "Define an ID token hint technical profile"). They prove an invitation to the provider and open nothing here.
 */
import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose';
import type { SigningKeys } from './signing-keys.ts';

const inviteTokenSeconds = 600;

/** How long after its end a token still tells which invitation it was for. */
const rememberedSeconds = 24 * 60 * 60;

/** `issuer` ends with a slash, `audience` is the provider's client id. */
export function createInviteTokens(options: {
  keys: SigningKeys;
  issuer: string;
  audience: string;
  now: () => number;
  newId: () => string;
}) {
  const { issuer, audience } = options;
  return {
    async issue(invitation: { id: string; email: string; name: string }): Promise<string> {
      const { kid, privateKey } = await options.keys.current();
      const issuedAt = Math.floor(options.now() / 1000);
      return new SignJWT({ email: invitation.email, ...(invitation.name && { name: invitation.name }) })
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(invitation.id)
        .setIssuedAt(issuedAt)
        .setNotBefore(issuedAt)
        .setExpirationTime(issuedAt + inviteTokenSeconds)
        .setJti(options.newId())
        .sign(privateKey);
    },
    /** The invitation that a token of ours is for, also for a day after its end; null for any other text. */
    async invitationOf(token: string): Promise<string | null> {
      try {
        const keys = createLocalJWKSet(await options.keys.published());
        const { payload } = await jwtVerify(token, keys, {
          issuer,
          audience,
          algorithms: ['RS256'],
          clockTolerance: rememberedSeconds,
          currentDate: new Date(options.now()),
        });
        return payload.sub ?? null;
      } catch {
        return null;
      }
    },
  };
}

export type InviteTokens = ReturnType<typeof createInviteTokens>;
