/**
 * The provider as the browser sees it: the few things this application asks of MSAL, which comes in this file's
 * chunk. Not for: what follows from an answer (session.ts) and what is kept (storage.ts).
 */
import {
  PublicClientApplication,
  type AccountInfo,
  type AuthenticationResult,
  type INetworkModule,
  type RedirectRequest,
} from '@azure/msal-browser';
import { i18n } from '@lingui/core';
import type { B2cConfiguration, Configuration } from '@vestibule/contract/configuration';
import { isB2cOnly, type Entrance } from '../auth-client.ts';
import { describeProviderError, isInteractionNeeded } from './provider-error.ts';
import {
  forgetInteraction,
  readRedirectKind,
  writeRedirectKind,
  type RedirectKind,
} from '../storage/storage.ts';

/**
 * Takes the provider's answer out of the address. The library would take it out as well, but leave a history entry
 * that still has it behind the new one.
 */
function takeAnswer(): string {
  const { hash, pathname, search } = window.location;
  if (!/[#&]state=/.test(hash)) return '';
  window.history.replaceState(null, '', pathname + search);
  return hash;
}

/** The library for this deployment, which leaves the page to session.ts: that knows what to do before, and after a return. */
async function openLibrary(
  { ClientId, AuthBaseUrl, EmbeddedProviderUrl }: B2cConfiguration,
  authority: string,
  home: string,
) {
  const networkClient: INetworkModule | null =
    EmbeddedProviderUrl === null
      ? null
      : (await import('./embedded-network.ts')).embeddedNetwork(AuthBaseUrl, EmbeddedProviderUrl);
  let leadsTo: string | null = null;
  const msal = new PublicClientApplication({
    auth: {
      clientId: ClientId,
      authority,
      knownAuthorities: [new URL(AuthBaseUrl).host],
      redirectUri: home,
      postLogoutRedirectUri: home,
      onRedirectNavigate: (url) => {
        leadsTo = url;
        return false;
      },
    },
    cache: { cacheLocation: 'localStorage' },
    system: { ...(networkClient && { networkClient }) },
  });
  await msal.initialize();
  return {
    msal,
    /** Where a redirect of the library's would lead; null when it named no address. */
    addressOf: async (redirect: () => Promise<void>): Promise<string | null> => {
      leadsTo = null;
      await redirect();
      return leadsTo;
    },
  };
}

/** The accounts that the library keeps. One person is one to it for each policy; that of the sign-in policy counts. */
function accountsOf(msal: PublicClientApplication, signInPolicy: string) {
  const policyOf = (account: AccountInfo) =>
    account.idTokenClaims?.tfp ?? account.idTokenClaims?.acr ?? signInPolicy;
  const isPolicy = (account: AccountInfo, policy: string) =>
    policyOf(account).toLowerCase() === policy.toLowerCase();

  const currentAccount = (): AccountInfo | null => {
    const accounts = msal.getAllAccounts();
    const active = msal.getActiveAccount();
    return active ?? accounts.find((account) => isPolicy(account, signInPolicy)) ?? accounts[0] ?? null;
  };

  /** Keeps the account of an answer and forgets all others (C11). */
  async function keepOnly(result: AuthenticationResult): Promise<void> {
    for (const account of msal.getAllAccounts())
      if (account.homeAccountId !== result.account.homeAccountId) await msal.clearCache({ account });
    msal.setActiveAccount(result.account);
  }

  return { policyOf, isPolicy, currentAccount, keepOnly };
}

/** Loads the provider's client for this deployment. */
export async function connectProvider(configuration: Configuration & B2cConfiguration): Promise<Entrance> {
  const { AuthBaseUrl, TenantName, SignInPolicy, SignUpPolicy, ResetPasswordPolicy, ApiScopes } =
    configuration;
  const authorityOf = (policy: string) => `${AuthBaseUrl}/${TenantName}.onmicrosoft.com/${policy}`;
  const home = `${window.location.origin}/`;
  const { msal, addressOf } = await openLibrary(configuration, authorityOf(SignInPolicy), home);

  const { policyOf, isPolicy, currentAccount, keepOnly } = accountsOf(msal, SignInPolicy);
  /** A token that is kept from before a sign-in tells an older one; with B2C alone nothing asks how old it is. */
  let isSignedInAnew = false;

  /** Where the library's redirect to the page of a policy leads, which is asked for in the language of this one (OpenID Connect Core, section 3.1.2.1). */
  async function addressFor(kind: RedirectKind, request: Partial<RedirectRequest>): Promise<string> {
    writeRedirectKind(kind);
    forgetInteraction();
    try {
      const address = await addressOf(() =>
        msal.loginRedirect({
          scopes: ['offline_access'],
          redirectStartPage: home,
          ...request,
          extraParameters: { ui_locales: i18n.locale, ...request.extraParameters },
        }),
      );
      if (address === null) throw new Error('The library has named no address.');
      return address;
    } catch (error) {
      writeRedirectKind(null);
      throw describeProviderError(error);
    }
  }

  return {
    async handleRedirect() {
      const kind = readRedirectKind();
      try {
        // Where to go next is decided by the kind of the flow and by our saved address, not by the library.
        const result = await msal.handleRedirectPromise({
          navigateToLoginRequestUrl: false,
          hash: takeAnswer(),
        });
        writeRedirectKind(null);
        if (!result) return { kind: 'none' };
        // A password-reset account opens nothing; the person signs in afresh with the new password.
        if (isPolicy(result.account, ResetPasswordPolicy)) {
          await msal.clearCache({ account: result.account });
          return { kind: 'reset-password', error: null };
        }
        await keepOnly(result);
        isSignedInAnew = !isB2cOnly(configuration);
        return { kind: isPolicy(result.account, SignUpPolicy) ? 'sign-up' : 'sign-in', error: null };
      } catch (error) {
        writeRedirectKind(null);
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

    signIn: ({ afresh, address }) =>
      addressFor('sign-in', {
        prompt: afresh ? 'login' : 'select_account',
        // The library leaves its own "loginHint" out where the account is to be selected.
        ...(address && { extraParameters: { login_hint: address } }),
      }),

    resetPassword: () => addressFor('reset-password', { authority: authorityOf(ResetPasswordPolicy) }),

    signUp: (inviteToken) =>
      addressFor('sign-up', {
        authority: authorityOf(SignUpPolicy),
        // In the query at authorize and in the body at token; "extraQueryParameters" would put it into both addresses.
        extraParameters: { id_token_hint: inviteToken },
      }),

    async accessToken({ renew }) {
      const account = currentAccount();
      if (!account) return null;
      try {
        const { accessToken } = await msal.acquireTokenSilent({
          account,
          authority: authorityOf(policyOf(account)),
          scopes: ApiScopes,
          redirectUri: home,
          forceRefresh: renew || isSignedInAnew,
        });
        isSignedInAnew = false;
        return accessToken || null;
      } catch (error) {
        if (isInteractionNeeded(error)) return null;
        throw describeProviderError(error);
      }
    },

    // When the provider cannot be reached, signing out here still has to work.
    signOutAddress: () =>
      addressOf(() => msal.logoutRedirect({ postLogoutRedirectUri: home })).catch(() => null),
  };
}
