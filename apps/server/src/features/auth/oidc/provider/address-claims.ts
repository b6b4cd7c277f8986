/** Which address a provider names, and whether it vouches for it. */
import { normalizeText } from '@vestibule/contract/rules/clean-text';
import { emailMaximumLength } from '@vestibule/contract/rules/limits';
import type { OidcProviderConfig } from '../../../../platform/config/oidc-providers.ts';
import { canonicalEmail } from '../../../../platform/identity/canonical-email.ts';
import { inTime } from '../../../../platform/timers.ts';
import type { Claims, SignInAnswer } from './oidc-client.ts';

export type ClaimedAddress = { email: string | null; isVerified: boolean };

/**
 * `email_verified` counts when it is true, or the text "true" that some providers send (OpenID Connect Core, section 5.1). Entra ID has
 * none; its optional claim `xms_edov` says that the domain's owner vouches for the address (Microsoft, "Migrate away from using email
 * claims"). Anything else vouches for nothing.
 */
function claimedAddress(claims: Record<string, unknown>): ClaimedAddress {
  const { email, email_verified: verified, xms_edov: ownerVerified } = claims;
  const isText = typeof email === 'string' && email.length > 0 && email.length <= emailMaximumLength;
  return {
    email: isText ? normalizeText(email) : null,
    isVerified:
      isText &&
      (verified === undefined
        ? isYes(ownerVerified) || ownerVerified === 1 || ownerVerified === '1'
        : isYes(verified)),
  };
}

const isYes = (value: unknown) => value === true || value === 'true';

/** Whether userinfo has to be asked: the id token names no address, or says nothing of it. */
function lacksAddress(claims: Claims): boolean {
  return (
    claims['email'] === undefined ||
    (claims['email_verified'] === undefined && claims['xms_edov'] === undefined)
  );
}

/** Of the id token where it vouches for one, else of userinfo where that names one. */
export async function addressOf(answer: SignInAnswer): Promise<ClaimedAddress> {
  const own = claimedAddress(answer.claims);
  if (!lacksAddress(answer.claims)) return own;
  const more = await answer.userInfo();
  const other = more && claimedAddress(more);
  return other?.email != null ? other : own;
}

/** Whether an account that does not have the expected address can be accepted with a code that is mailed to that address. */
export const canAskForCode = ({ email }: OidcProviderConfig, { isVerified }: ClaimedAddress): boolean =>
  email === 'ask' || (email === 'ask-unverified' && !isVerified);

/** Where the address decides nothing, nobody waits longer for it. */
const patienceMs = 3_000;

/** The address, where it is only noted; null when userinfo fails or takes too long. */
export function addressInTime(answer: SignInAnswer): Promise<ClaimedAddress | null> {
  const asked = addressOf(answer).catch(() => null);
  return inTime(asked, patienceMs, () => null);
}

export const canonicalOf = ({ email }: ClaimedAddress) => (email === null ? null : canonicalEmail(email));
