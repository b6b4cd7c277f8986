/**
 * Invite tokens: what the provider's sign-up policy receives as id_token_hint (statement H6; Microsoft,
 * "Define an ID token hint technical profile"). They prove an invitation to the provider and open nothing here.
 */
import { SignJWT } from 'jose';
import type { SigningKeys } from './signing-keys.ts';

export const inviteTokenSeconds = 600;

/** Makes the function that issues tokens. `issuer` ends with a slash, `audience` is the provider's client id. */
export function createInviteTokens(options: {
  keys: SigningKeys;
  issuer: string;
  audience: string;
  now: () => number;
  newId: () => string;
}) {
  return async (invitation: { id: string; email: string; name: string }): Promise<string> => {
    const { kid, privateKey } = await options.keys.current();
    const issuedAt = Math.floor(options.now() / 1000);
    return new SignJWT({ email: invitation.email, ...(invitation.name && { name: invitation.name }) })
      .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
      .setIssuer(options.issuer)
      .setAudience(options.audience)
      .setSubject(invitation.id)
      .setIssuedAt(issuedAt)
      .setNotBefore(issuedAt)
      .setExpirationTime(issuedAt + inviteTokenSeconds)
      .setJti(options.newId())
      .sign(privateKey);
  };
}

export type IssueInviteToken = ReturnType<typeof createInviteTokens>;
