/**
 * The session of this tab: combines the auth client, browser storage and the server's user data. Makes all decisions about sign-ins,
 * sign-outs and redirects, so that screens contain none.
 */
import { t } from '@lingui/core/macro';
import type { Configuration } from '@vestibule/contract/configuration';
import { getMe, type UserDetail } from '@vestibule/contract/profile/me';
import { CallFailure, describeFailure } from '../../language/call-failure.ts';
import { call, fetchConfiguration, setTokenProvider } from '../../lib/call.ts';
import { whenLeft, whenRestored } from '../../lib/page-return.ts';
import { createRedirectLock, neverSettles, type RedirectLock } from './redirect-lock.ts';
import { isB2cOnly, type AuthClient, type RedirectOutcome, type SignInRequest } from './auth-client.ts';
import type { ProviderError } from './provider/provider-error.ts';
import { showSiteAccent } from './start-screen.ts';
import { applyPreferences } from './storage/preferences.ts';
import { isSignedInPath, saveUrl } from './storage/return-url.ts';
import {
  clearAllStorage,
  countRedirect,
  deleteDraftsOfOthers,
  readStored,
  resetRedirectCount,
  storedKeys,
  takeStored,
  type InvitationInAddress,
  type NextSignIn,
  type StoredError,
  whenSignedOutElsewhere,
  writeStored,
} from './storage/storage.ts';

/** Delays that statements C1 and E2 require, in milliseconds. */
const userDataDelayMilliseconds = 10;
const clearingDelayMilliseconds = 5;
/**
 * Messages and storage events of other tabs may arrive until this time after the storage changed or the page was restored from the
 * back/forward cache. In milliseconds.
 */
const lateMessagesMilliseconds = 1_000;

const returnedWithoutSignIn = 'sign_in.back';

type SignOutOptions = {
  /** Shown on the error screen of every tab. */
  error?: StoredError;
  invitation?: string;
  nextSignIn?: NextSignIn;
  /** Shown after the next sign-in. */
  returnUrl?: string;
};

export type Session = ReturnType<typeof createSession>;

export function createSession(options: {
  configuration: Configuration;
  authClient: AuthClient;
  redirect: RedirectOutcome;
  invitation: InvitationInAddress | null;
  /** The page was reached by the browser's Back or Forward button. */
  isHistoryNavigation: boolean;
}) {
  const { configuration, authClient } = options;
  let { redirect, invitation, isHistoryNavigation } = options;
  let user: UserDetail | null =
    redirect.kind === 'none' && (authClient.account() || authClient.session())
      ? readStored('userDetail')
      : null;
  const lock = createRedirectLock();
  const navigateTo = (findAddress: () => Promise<string>): Promise<StoredError | null> =>
    lock.navigateTo(findAddress).catch(toStoredError);

  // Navigation by the user is not a redirect loop.
  if (isHistoryNavigation) resetRedirectCount();

  const session = {
    configuration,
    account: () => authClient.account(),
    user: () => user,

    redirectKind: () => redirect.kind,

    /** Returns the redirect's outcome at the first call, then `none`. */
    takeRedirect(): RedirectOutcome {
      const taken = redirect;
      redirect = { kind: 'none' };
      return taken;
    },

    /** Returns the invitation of the address at the first call, then null. */
    takeInvitation(): InvitationInAddress | null {
      const taken = invitation;
      invitation = null;
      return taken;
    },

    /** Whether the page was reached by Back or Forward and the user has not been loaded since. */
    isHistoryNavigation: () => isHistoryNavigation,

    /**
     * Starts a sign-in. Returns the error to show (no provider, or a redirect loop, C9), or null if the user returned. The next three
     * functions return the same values.
     */
    async signIn(request: Omit<SignInRequest, keyof NextSignIn> = {}): Promise<StoredError | null> {
      if (!countRedirect(Date.now()))
        return {
          message: t`Signing in was tried several times without success. Wait a minute and press Ok to try again. If the problem persists, clear this site’s data in your browser, or write to ${configuration.SupportEmail}.`,
        };
      return navigateTo(() => authClient.signIn({ ...takeStored('nextSignIn'), ...request }));
    },

    navigateTo,

    resetPassword: () => navigateTo(() => authClient.resetPassword()),
    signUp: (inviteToken: string) => navigateTo(() => authClient.signUp(inviteToken)),

    /** Reloads the name, logo, accent and support address after a change. */
    async loadConfiguration(): Promise<void> {
      Object.assign(configuration, await fetchConfiguration());
      showSiteAccent(configuration.AccentColor);
    },

    isB2cOnly: () => isB2cOnly(configuration),
    signInMethods: () => authClient.session()?.signInMethods() ?? [],
    /** Returns the sign-in method that the user chooses. Returns an empty object if B2C is the only method. */
    chooseSignInMethod: async () => (await authClient.session()?.chooseSignInMethod()) ?? {},

    /** Returns the signed-in user of this browser, or null. Throws if the server refuses the user. */
    async findUser(): Promise<UserDetail | null> {
      const serverSession = authClient.session();
      if (!serverSession) return authClient.account() ? session.loadUser() : null;
      user = await serverSession.findUser((isQuiet) => session.loadUser(isQuiet));
      return user;
    },

    /** Loads the user (C1). */
    async loadUser(isQuiet?: true): Promise<UserDetail> {
      await new Promise((resolve) => setTimeout(resolve, userDataDelayMilliseconds));
      // If quiet, calls the route as a public one, so that a response 401 does not start a sign-in.
      const me = await call(isQuiet ? { ...getMe, access: 'public' as const } : getMe);
      const { Id, Email, DisplayName, IsAdmin } = me;
      user = { Id, Email, DisplayName, IsAdmin };
      writeStored('userDetail', user);
      deleteDraftsOfOthers(Id);
      authClient.session()?.handleStart(user);
      resetRedirectCount();
      isHistoryNavigation = false;
      await applyPreferences(me);
      return user;
    },

    /** Redeems the invitation after a sign-up (D16). If no token can be obtained silently, the first sign-in redeems it. */
    async redeemInvitation(): Promise<void> {
      if ((await authClient.accessToken({ renew: false })) !== null) await session.loadUser();
    },

    /**
     * Clears all storage in every tab and ends the provider's session; then the reason is shown (E1, E2, C6). Throws if the session could
     * not be ended: the user is still signed in.
     */
    signOut: (after: SignOutOptions = {}): Promise<void> =>
      lock.signOut(() => completeSignOut(authClient, after)),
  };

  provideTokens(session, authClient, lock);
  followOtherTabs(authClient, lock, (personId) => user !== null && user.Id !== personId);

  return session;
}

async function completeSignOut(authClient: AuthClient, after: SignOutOptions): Promise<never> {
  const serverSession = authClient.session();
  const address = await authClient.signOutAddress().catch((error: unknown) => {
    // The server has refused this user: sign out regardless.
    if (after.error) return null;
    throw error;
  });
  await new Promise((resolve) => setTimeout(resolve, clearingDelayMilliseconds));
  clearAllStorage(after.error);
  if (after.error) writeStored('errorMessage', after.error);
  // The provider may still have a session for this user.
  const nextSignIn = after.nextSignIn ?? (serverSession && { forceLogin: true });
  if (nextSignIn) writeStored('nextSignIn', nextSignIn);
  if (after.returnUrl !== undefined) saveUrl(after.returnUrl);
  if (after.invitation) writeStored('pendingInvitation', after.invitation);
  window.location.replace(address ?? '/');
  return neverSettles();
}

/** Provides access tokens for calls, or starts a new sign-in. */
function provideTokens(
  session: {
    user: () => UserDetail | null;
    isHistoryNavigation: () => boolean;
    signIn: () => Promise<StoredError | null>;
  },
  authClient: AuthClient,
  lock: RedirectLock,
): void {
  setTokenProvider(async ({ renew }) => {
    await lock.waitIfLeaving();
    const serverSession = authClient.session();
    if (serverSession) {
      if (!renew) return null;
      serverSession.handleEnd();
      return lock.goToStartPage();
    }
    let token: string | null;
    try {
      token = await authClient.accessToken({ renew });
    } catch (error) {
      throw toCallFailure(toStoredError(error), error);
    }
    if (token !== null) return token;
    // After a sign-out in another tab, the message with its reason may arrive later than the cleared storage is noticed.
    if (session.user() !== null && storedKeys() === '')
      await new Promise((resolve) => setTimeout(resolve, lateMessagesMilliseconds));
    await lock.waitIfLeaving();
    const { pathname, search, hash } = window.location;
    const isSignedInPage = isSignedInPath(pathname);
    if (isSignedInPage) saveUrl(pathname + search + hash);
    const failure = session.isHistoryNavigation() ? null : await session.signIn();
    if (failure) throw toCallFailure(failure, null);
    if (!isSignedInPage)
      throw new CallFailure({ code: returnedWithoutSignIn, message: '', requestId: '' }, 0);
    writeStored('isBack', true);
    return lock.goToStartPage();
  });
}

/** Follows sign-outs and sign-ins of other users in other tabs. */
function followOtherTabs(
  authClient: AuthClient,
  lock: RedirectLock,
  isOtherUser: (personId: string) => boolean,
): void {
  let keysAtPageHide = '';
  whenLeft(() => (keysAtPageHide = storedKeys()));
  const reloadIfChanged = (): void => {
    if (storedKeys() === keysAtPageHide) return;
    // Hides the previous user's data.
    document.body.hidden = true;
    writeStored('isBack', true);
    void lock.reload();
  };
  whenRestored(() => {
    reloadIfChanged();
    // Storage events of other tabs may arrive after the page is shown.
    window.addEventListener('storage', reloadIfChanged);
    setTimeout(() => window.removeEventListener('storage', reloadIfChanged), lateMessagesMilliseconds);
  });

  whenSignedOutElsewhere(() => {
    if (authClient.session()) writeStored('nextSignIn', { forceLogin: true });
    void lock.goToStartPage();
  });

  authClient.session()?.onSignInElsewhere((personId) => {
    if (isOtherUser(personId)) void lock.goToStartPage();
  });
}

export function toStoredError(error: unknown): StoredError {
  if (!isProviderError(error)) return describeFailure(error);
  return { message: error.message, ...(error.reference && { reference: error.reference }) };
}

/** Tests the name, because the class is in the MSAL chunk. */
const isProviderError = (error: unknown): error is ProviderError =>
  error instanceof Error && error.name === 'ProviderError';

export const isReturnWithoutSignIn = (error: unknown): boolean =>
  error instanceof CallFailure && error.code === returnedWithoutSignIn;

/** Uses a code that the server does not have: the message of a server code would be replaced by that code's translation. */
const toCallFailure = ({ message, reference = '' }: StoredError, cause: unknown): CallFailure =>
  new CallFailure({ code: 'sign_in.at_provider', message, requestId: reference }, 0, cause);

export function toSignOutReason(error: unknown): StoredError {
  const isSignedOut = error instanceof CallFailure && error.code === 'person.signed_out';
  return { ...describeFailure(error), ...(isSignedOut && { isSignedOut }) };
}
