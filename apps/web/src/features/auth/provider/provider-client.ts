/** Auth client for Azure AD B2C, based on MSAL. Decisions are in session.ts, stored values in storage.ts. */
import {
  PublicClientApplication,
  type AccountInfo,
  type AuthenticationResult,
  type INetworkModule,
  type RedirectRequest,
} from '@azure/msal-browser';
import { i18n } from '@lingui/core';
import type { B2cConfiguration, Configuration } from '@vestibule/contract/configuration';
import { navigationType } from '../../../lib/page-return.ts';
import { isB2cOnly, type AuthClient } from '../auth-client.ts';
import { describeProviderError, isInteractionNeeded } from './provider-error.ts';
import {
  clearInteraction,
  readStored,
  type RedirectKind,
  removeStored,
  writeStored,
} from '../storage/storage.ts';

/** Removes the provider's response from the address and returns it. MSAL would leave it in the previous history entry. */
function takeResponseHash(): string {
  const { hash, pathname, search } = window.location;
  if (!/[#&]state=/.test(hash)) return '';
  window.history.replaceState(null, '', pathname + search);
  return hash;
}

/** Creates the MSAL client. Redirects are captured instead of followed, so that session.ts controls navigation. */
async function createMsalClient(
  { ClientId, AuthBaseUrl, EmbeddedProviderUrl }: B2cConfiguration,
  authority: string,
  home: string,
) {
  const networkClient: INetworkModule | null =
    EmbeddedProviderUrl === null
      ? null
      : (await import('./embedded-network.ts')).embeddedNetwork(AuthBaseUrl, EmbeddedProviderUrl);
  let redirectUrl: string | null = null;
  const msal = new PublicClientApplication({
    auth: {
      clientId: ClientId,
      authority,
      knownAuthorities: [new URL(AuthBaseUrl).host],
      redirectUri: home,
      postLogoutRedirectUri: home,
      onRedirectNavigate: (url) => {
        redirectUrl = url;
        return false;
      },
    },
    cache: { cacheLocation: 'localStorage' },
    system: { ...(networkClient && { networkClient }) },
  });
  await msal.initialize();
  return {
    msal,
    /** Returns the URL of an MSAL redirect, or null. */
    captureRedirectUrl: async (redirect: () => Promise<void>): Promise<string | null> => {
      redirectUrl = null;
      clearInteraction();
      await redirect();
      return redirectUrl;
    },
  };
}

/** MSAL stores one account per policy and person; the account of the sign-in policy is used. */
function createAccountAccess(msal: PublicClientApplication, signInPolicy: string) {
  const policyOf = (account: AccountInfo) =>
    account.idTokenClaims?.tfp ?? account.idTokenClaims?.acr ?? signInPolicy;
  const isPolicy = (account: AccountInfo, policy: string) =>
    policyOf(account).toLowerCase() === policy.toLowerCase();

  const currentAccount = (): AccountInfo | null => {
    const accounts = msal.getAllAccounts();
    const active = msal.getActiveAccount();
    return active ?? accounts.find((account) => isPolicy(account, signInPolicy)) ?? accounts[0] ?? null;
  };

  /** Activates the result's account and removes all others (C11). */
  async function activateOnly(result: AuthenticationResult): Promise<void> {
    for (const account of msal.getAllAccounts())
      if (account.homeAccountId !== result.account.homeAccountId) await msal.clearCache({ account });
    msal.setActiveAccount(result.account);
  }

  return { policyOf, isPolicy, currentAccount, activateOnly };
}

export async function createProviderClient(
  configuration: Configuration & B2cConfiguration,
): Promise<AuthClient> {
  const { AuthBaseUrl, TenantName, SignInPolicy, SignUpPolicy, ResetPasswordPolicy, ApiScopes } =
    configuration;
  const authorityUrl = (policy: string) => `${AuthBaseUrl}/${TenantName}.onmicrosoft.com/${policy}`;
  const home = `${window.location.origin}/`;
  const { msal, captureRedirectUrl } = await createMsalClient(
    configuration,
    authorityUrl(SignInPolicy),
    home,
  );

  const { policyOf, isPolicy, currentAccount, activateOnly } = createAccountAccess(msal, SignInPolicy);
  /** Whether cached tokens are older than the sign-in. The server checks the age of tokens if there are other methods than B2C. */
  let isTokenOutdated = false;

  /** Returns the URL of a policy's page, in the current language (OpenID Connect Core, section 3.1.2.1). */
  async function redirectUrl(kind: RedirectKind, request: Partial<RedirectRequest>): Promise<string> {
    writeStored('loginRedirect', kind);
    try {
      const address = await captureRedirectUrl(() =>
        msal.loginRedirect({
          scopes: ['offline_access'],
          redirectStartPage: home,
          ...request,
          extraParameters: { ui_locales: i18n.locale, ...request.extraParameters },
        }),
      );
      if (address === null) throw new Error('MSAL returned no redirect address.');
      return address;
    } catch (error) {
      removeStored('loginRedirect');
      throw describeProviderError(error);
    }
  }

  return {
    async handleRedirect() {
      const kind = readStored('loginRedirect');
      const hash = takeResponseHash();
      // Without a response MSAL drops the pending request, but the user may go Forward to the provider again.
      if (hash === '' && navigationType() === 'back_forward') return { kind: 'none' };
      try {
        // The redirect kind and the saved URL decide where to continue, not MSAL.
        const result = await msal.handleRedirectPromise({ navigateToLoginRequestUrl: false, hash });
        removeStored('loginRedirect');
        if (!result) return { kind: 'none' };
        // An account from a password reset has no access to the API, so the user signs in again.
        if (isPolicy(result.account, ResetPasswordPolicy)) {
          await msal.clearCache({ account: result.account });
          return { kind: 'reset-password', error: null };
        }
        await activateOnly(result);
        isTokenOutdated = !isB2cOnly(configuration);
        return { kind: isPolicy(result.account, SignUpPolicy) ? 'sign-up' : 'sign-in', error: null };
      } catch (error) {
        removeStored('loginRedirect');
        return { kind: kind ?? 'sign-in', error: describeProviderError(error) };
      }
    },

    session: () => null,

    account() {
      const account = currentAccount();
      if (!account) return null;
      const claims = account.idTokenClaims as
        | { emails?: string[]; email?: string; name?: string }
        | undefined;
      const email = claims?.emails?.[0] ?? claims?.email ?? account.username;
      return { email, name: claims?.name ?? email };
    },

    signIn: ({ forceLogin, address }) =>
      redirectUrl('sign-in', {
        prompt: forceLogin ? 'login' : 'select_account',
        // MSAL drops its own "loginHint" with `select_account`.
        ...(address && { extraParameters: { login_hint: address } }),
      }),

    resetPassword: () => redirectUrl('reset-password', { authority: authorityUrl(ResetPasswordPolicy) }),

    signUp: (inviteToken) =>
      redirectUrl('sign-up', {
        authority: authorityUrl(SignUpPolicy),
        // `extraParameters` are sent in the query of the authorize request and in the body of the token request. `extraQueryParameters`
        // would be added to both URLs.
        extraParameters: { id_token_hint: inviteToken },
      }),

    async accessToken({ renew }) {
      const account = currentAccount();
      if (!account) return null;
      try {
        const { accessToken } = await msal.acquireTokenSilent({
          account,
          authority: authorityUrl(policyOf(account)),
          scopes: ApiScopes,
          redirectUri: home,
          forceRefresh: renew || isTokenOutdated,
        });
        isTokenOutdated = false;
        return accessToken || null;
      } catch (error) {
        if (isInteractionNeeded(error)) return null;
        throw describeProviderError(error);
      }
    },

    // Local sign-out must work without the provider.
    signOutAddress: () =>
      captureRedirectUrl(() => msal.logoutRedirect({ postLogoutRedirectUri: home })).catch(() => null),
  };
}
