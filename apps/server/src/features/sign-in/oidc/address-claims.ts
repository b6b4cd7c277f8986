/** Which address a provider names, and whether it vouches for it. */
import type { Claims } from './oidc-client.ts';

export type ClaimedAddress = { email: string | null; isVerified: boolean };

/**
 * `email_verified` counts when it is true, or the text "true" that some providers send (OpenID Connect Core, section 5.1). Entra ID has
 * none; its optional claim `xms_edov` says that the domain's owner vouches for the address (Microsoft, "Migrate away from using email
 * claims"). Anything else vouches for nothing.
 */
export function claimedAddress(claims: Record<string, unknown>): ClaimedAddress {
  const { email, email_verified: verified, xms_edov: ownerVerified } = claims;
  const isText = typeof email === 'string' && email.length > 0 && email.length <= 254;
  return {
    email: isText ? email : null,
    isVerified:
      isText &&
      (verified === undefined
        ? isYes(ownerVerified) || ownerVerified === 1 || ownerVerified === '1'
        : isYes(verified)),
  };
}

const isYes = (value: unknown) => value === true || value === 'true';

/** Whether userinfo has to be asked: the id token names no address, or says nothing of it. */
export function lacksAddress(claims: Claims): boolean {
  return (
    claims['email'] === undefined ||
    (claims['email_verified'] === undefined && claims['xms_edov'] === undefined)
  );
}
