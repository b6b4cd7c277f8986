/** Reads the e-mail address that a provider reports, whether it is verified, and the name. */
import { normalizeText } from '@vestibule/contract/rules/clean-text';
import { emailMaximumLength } from '@vestibule/contract/rules/limits';
import type { OidcProviderConfig } from '../../../platform/config/oidc-providers.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { withTimeout } from '../../../platform/timers.ts';
import { displayName } from '../provision-user.ts';
import { isEntra } from '../../../platform/identity/entra.ts';
import type { Claims, ProviderSignIn } from './oidc-client.ts';

export type ClaimedAddress = { email: string | null; isVerified: boolean };
/** `isUnverified`: the provider reports that the address is not verified, instead of nothing. */
type ReportedAddress = ClaimedAddress & { isUnverified: boolean };

/**
 * `email_verified` must be true (OpenID Connect Core, section 5.1), or the text that Amazon Cognito ("true"), custom
 * policies of Azure AD B2C and AD FS ("True") send. Entra ID does not send it; its optional claim `xms_edov` means that the domain's owner is verified (Microsoft, "Migrate
 * away from using email claims"). AD FS sends a list of addresses if the account has several; the first one is used.
 */
export function claimedAddress(claims: Record<string, unknown>): ReportedAddress {
  const { xms_edov: ownerVerified } = claims;
  const verified = isPrivateGoogleAccount(claims) ? false : claims['email_verified'];
  const [email] = [claims['email']].flat();
  const isText = typeof email === 'string' && email.length > 0 && email.length <= emailMaximumLength;
  return {
    email: isText ? normalizeText(email) : null,
    isVerified:
      isText &&
      (verified === undefined
        ? isTrue(ownerVerified) || ownerVerified === 1 || ownerVerified === '1'
        : isTrue(verified)),
    isUnverified: verified !== undefined && !isTrue(verified),
  };
}

/**
 * Returns whether the address is another provider's in a Google account that no organization manages. Google has verified it once; the account
 * keeps it after its owner has left the company (Google, "Verify the Google ID token on your server side").
 */
const isPrivateGoogleAccount = ({ iss, hd, email }: Record<string, unknown>) =>
  iss === 'https://accounts.google.com' &&
  hd === undefined &&
  !/@(?:gmail|googlemail)\.com$/i.test(String(email));

/**
 * Returns the user principal name of an account in Entra ID or AD FS, which send no `email` for accounts without a mailbox; null for other
 * providers, whose users may choose their names. Only administrators of the directory change it (Microsoft, "ID token claims reference").
 */
export function principalNameOf(
  issuer: string,
  { upn, preferred_username: preferredName }: Record<string, unknown>,
): string | null {
  const { pathname } = new URL(issuer);
  if (isEntra(issuer)) return claimedAddress({ email: upn ?? preferredName }).email;
  return pathname === '/adfs' ? claimedAddress({ email: upn }).email : null;
}

const isTrue = (value: unknown) =>
  value === true || (typeof value === 'string' && value.toLowerCase() === 'true');

const lacksAddress = (claims: Claims): boolean =>
  claims['email'] === undefined ||
  (claims['email_verified'] === undefined && claims['xms_edov'] === undefined);

/** Returns the id token's address if the token reports its verification, else the address of userinfo if there is one. */
export async function addressOf(providerSignIn: ProviderSignIn): Promise<ReportedAddress> {
  const fromToken = claimedAddress(providerSignIn.claims);
  if (!lacksAddress(providerSignIn.claims)) return fromToken;
  const userInfo = await providerSignIn.userInfo();
  const fromUserInfo = userInfo && claimedAddress(userInfo);
  return fromUserInfo?.email != null ? fromUserInfo : fromToken;
}

/** Returns whether an account without the expected address is accepted after a code mailed to that address is entered. */
export const canVerifyByCode = ({ email }: OidcProviderConfig, { isVerified }: ClaimedAddress): boolean =>
  email === 'ask' || (email === 'ask-unverified' && !isVerified);

/** Maximum wait for claims that the sign-in does not depend on. */
const userInfoTimeoutMs = 3_000;

/** Returns null if userinfo fails or takes too long. */
export function addressWithinTimeout(providerSignIn: ProviderSignIn): Promise<ClaimedAddress | null> {
  const address = addressOf(providerSignIn).catch(() => null);
  return withTimeout(address, userInfoTimeoutMs, () => null);
}

/**
 * Returns the name of the id token, else that of userinfo: with the code flow, the claims of the scope `profile` are there (OpenID Connect Core,
 * section 5.4). Returns null if there is none, or userinfo fails or takes too long.
 */
export async function nameOf(providerSignIn: ProviderSignIn): Promise<string | null> {
  const fromToken = displayName(providerSignIn.claims);
  if (fromToken !== null) return fromToken;
  const fetched = await withTimeout(
    providerSignIn.userInfo().catch(() => null),
    userInfoTimeoutMs,
    () => null,
  );
  return fetched && displayName(fetched);
}

export const canonicalOf = ({ email }: ClaimedAddress) => (email === null ? null : canonicalEmail(email));
