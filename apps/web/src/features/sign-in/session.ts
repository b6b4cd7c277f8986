/**
 * The session of this tab: who is signed in, how to get in and how to get out. It ties the provider's client, what
 * the browser keeps, and the server's answer to "who am I" together; screens ask it and decide nothing themselves.
 */
import { t } from '@lingui/core/macro';
import type { Configuration } from '@vestibule/contract/configuration';
import { getMe, type UserDetail } from '@vestibule/contract/me';
import { CallFailure, describeFailure } from '../../lib/call-failure.ts';
import { call, fetchConfiguration, provideTokens } from '../../lib/call.ts';
import type { InvitationInAddress } from './address.ts';
import type { ProviderClient, RedirectOutcome } from './provider-client.ts';
import { describeProviderError } from './provider-error.ts';
import { settlePreferences } from './preferences.ts';
import { forgetRedirects, mayRedirect } from './redirect-limit.ts';
import { showSiteAccent } from './site-accent.ts';
import { saveUrl } from './saved-url.ts';
import {
  clearAllStorage,
  readUserDetail,
  takeNextSignIn,
  whenSignedOutElsewhere,
  writeNextSignIn,
  writePendingInvitation,
  writeStoredError,
  writeUserDetail,
  type NextSignIn,
  type StoredError,
} from './storage.ts';

/** C1 and E2: the customer's two delays, in milliseconds. */
const beforeUserDataMilliseconds = 10;
const beforeClearingMilliseconds = 5;

/** What goes on after everything was cleared. */
type AfterSignOut = {
  /** Told to the person, in every tab. */
  error?: StoredError;
  invitation?: string;
  nextSignIn?: NextSignIn;
};

export type Session = ReturnType<typeof createSession>;

export function createSession(options: {
  configuration: Configuration;
  client: ProviderClient;
  redirect: RedirectOutcome;
  invitation: InvitationInAddress | null;
}) {
  const { configuration, client } = options;
  let redirect: RedirectOutcome = options.redirect;
  let invitation = options.invitation;
  let user: UserDetail | null = redirect.kind === 'none' && client.account() ? readUserDetail() : null;
  let leaving = false;
  let signingOut: Promise<void> | null = null;

  const session = {
    configuration,
    account: () => client.account(),
    user: () => user,

    /** Which flow the provider brought back, for the screen that passes it on. */
    redirectKind: () => redirect.kind,

    /** What the provider brought back; it is acted upon once. */
    takeRedirect(): RedirectOutcome {
      const taken = redirect;
      redirect = { kind: 'none' };
      return taken;
    },

    /** The invitation that the address brought in; it is acted upon once. */
    takeInvitation(): InvitationInAddress | null {
      const taken = invitation;
      invitation = null;
      return taken;
    },

    /** Leaves for the sign-in page. Gives the error to show when that cannot be: no provider, or a loop (C9). */
    async signIn(): Promise<StoredError | null> {
      if (!mayRedirect(Date.now()))
        return {
          message: t`Signing in was tried several times and each time led back here. Wait a minute and press Ok to try again. If it happens again, clear the data of this site in your browser, or write to ${configuration.SupportEmail}.`,
        };
      return leave(() => client.signIn(takeNextSignIn()));
    },

    resetPassword: () => leave(() => client.resetPassword()),
    signUp: (inviteToken: string) => leave(() => client.signUp(inviteToken)),

    /** Reads the site's name, logo, accent and support address again, after they were changed. */
    async loadConfiguration(): Promise<void> {
      Object.assign(configuration, await fetchConfiguration());
      showSiteAccent(configuration.AccentColor);
    },

    /** Who am I (C1). A failure is left to the caller, since what follows differs. */
    async loadUser(): Promise<UserDetail> {
      await new Promise((resolve) => setTimeout(resolve, beforeUserDataMilliseconds));
      const me = await call(getMe);
      const { Id, Email, DisplayName, IsAdmin } = me;
      user = { Id, Email, DisplayName, IsAdmin };
      writeUserDetail(user);
      forgetRedirects();
      await settlePreferences(me);
      return user;
    },

    /**
     * Redeems the invitation of a sign-up that has just succeeded (D16). Where the provider gives no token without a
     * person's help it is left to the first sign-in.
     */
    async redeemInvitation(): Promise<void> {
      if ((await client.accessToken({ renew: false })) !== null) await session.loadUser();
    },

    /** Clears everything in every tab and ends the provider's session; the reason is told afterwards (E1, E2, C6). */
    signOut(after: AfterSignOut = {}): Promise<void> {
      // Several refusals may arrive at once; a second start would cut the first one's way to the provider short.
      signingOut ??= leaveForGood(after);
      return signingOut;
    },
  };

  async function leaveForGood(after: AfterSignOut): Promise<void> {
    leaving = true;
    const address = await client.signOutAddress();
    await new Promise((resolve) => setTimeout(resolve, beforeClearingMilliseconds));
    clearAllStorage(after.error);
    if (after.error) writeStoredError(after.error);
    if (after.nextSignIn) writeNextSignIn(after.nextSignIn);
    if (after.invitation) writePendingInvitation(after.invitation);
    window.location.replace(address ?? '/');
  }

  /** Starts a redirect. Null once it is under way; the error to show when it could not start. */
  async function leave(start: () => Promise<void>): Promise<StoredError | null> {
    leaving = true;
    try {
      await start();
      return null;
    } catch (error) {
      leaving = false;
      return { message: describeProviderError(error).message };
    }
  }

  provideTokens(async ({ renew }) => {
    // The page is being left: an answer would come too late, and a second redirect would disturb the first.
    if (leaving) return forever();
    let token: string | null;
    try {
      token = await client.accessToken({ renew });
    } catch (error) {
      throw toCallFailure(describeProviderError(error).message, error);
    }
    if (token !== null) return token;
    saveUrl(window.location.pathname + window.location.search + window.location.hash);
    const failure = await session.signIn();
    if (failure) throw toCallFailure(failure.message, null);
    return forever();
  });

  whenSignedOutElsewhere(() => {
    leaving = true;
    window.location.replace('/');
  });

  return session;
}

function toCallFailure(message: string, cause: unknown): CallFailure {
  return new CallFailure({ code: 'sign_in.provider_unreachable', message, requestId: '' }, 0, cause);
}

/** The page is on its way to another address; nothing may go on in the meantime. */
function forever(): Promise<never> {
  return new Promise(() => {});
}

/** What to tell somebody whom the server refuses altogether. */
export function reasonToLeave(error: unknown): StoredError {
  const isSignedOut = error instanceof CallFailure && error.code === 'person.signed_out';
  return { ...describeFailure(error), ...(isSignedOut && { isSignedOut }) };
}
