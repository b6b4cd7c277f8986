/**
 * The session of this tab: who is signed in, how to get in and how to get out. It ties the provider's client, what
 * the browser keeps, and the server's answer to "who am I" together; screens ask it and decide nothing themselves.
 */
import { t } from '@lingui/core/macro';
import type { Configuration } from '@vestibule/contract/configuration';
import { getMe, type UserDetail } from '@vestibule/contract/profile/me';
import { CallFailure, describeFailure } from '../../language/call-failure.ts';
import { call, fetchConfiguration, setTokenProvider } from '../../lib/call.ts';
import { whenLeft, whenRestored } from '../../lib/page-return.ts';
import type { InvitationInAddress } from './address-parameters.ts';
import { createDeparture, forever, type Departure } from './redirect-lock.ts';
import { isB2cOnly, type Entrance, type RedirectOutcome, type SignInBy } from './auth-client.ts';
import type { ProviderError } from './provider/provider-error.ts';
import { settlePreferences } from './storage/preferences.ts';
import { forgetRedirects, mayRedirect } from './provider/redirect-limit.ts';
import { showSiteAccent } from './site-accent.ts';
import { isSignedInPath, saveUrl } from './storage/return-url.ts';
import {
  clearAllStorage,
  namesKept,
  readUserDetail,
  takeNextSignIn,
  whenSignedOutElsewhere,
  writeNextSignIn,
  writeBack,
  writePendingInvitation,
  writeStoredError,
  writeUserDetail,
  type NextSignIn,
  type StoredError,
} from './storage/storage.ts';

/** C1 and E2: the customer's two delays, in milliseconds. */
const beforeUserDataMilliseconds = 10;
const beforeClearingMilliseconds = 5;
/** How long after its return a page may still hear what other tabs have done in the meantime, in milliseconds. */
const lateNewsMilliseconds = 1_000;

const backWithoutSignIn = 'sign_in.back';

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
  entrance: Entrance;
  redirect: RedirectOutcome;
  invitation: InvitationInAddress | null;
  /** The page was come back to by the browser's buttons. */
  isBack: boolean;
}) {
  const { configuration, entrance } = options;
  let { redirect, invitation, isBack } = options;
  let user: UserDetail | null =
    redirect.kind === 'none' && (entrance.account() || entrance.session()) ? readUserDetail() : null;
  let signingOut: Promise<void> | null = null;
  const departure = createDeparture();
  const leave = (findAddress: () => Promise<string>): Promise<StoredError | null> =>
    departure.leaveFor(findAddress).catch(toStoredError);

  // No loop goes by way of the browser's buttons.
  if (isBack) forgetRedirects();

  const session = {
    configuration,
    account: () => entrance.account(),
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

    /** Somebody came back to this page by the browser's buttons, and nothing has worked since. */
    isBack: () => isBack,

    /**
     * Leaves for the sign-in page. Gives the error to show when that cannot be: no provider, or a loop (C9). Null when
     * somebody has come back from there without having signed in; so do the two that follow.
     */
    async signIn(by: Omit<SignInBy, keyof NextSignIn> = {}): Promise<StoredError | null> {
      if (!mayRedirect(Date.now()))
        return {
          message: t`Signing in was tried several times, but each time led back here. Wait a minute and press Ok to try again. If the problem persists, clear this site’s data in your browser, or write to ${configuration.SupportEmail}.`,
        };
      return leave(() => entrance.signIn({ ...takeNextSignIn(), ...by }));
    },

    /** Leaves for an address of a provider's, for somebody who is inside. */
    leaveFor: leave,

    resetPassword: () => leave(() => entrance.resetPassword()),
    signUp: (inviteToken: string) => leave(() => entrance.signUp(inviteToken)),

    /** Reads the site's name, logo, accent and support address again, after they were changed. */
    async loadConfiguration(): Promise<void> {
      Object.assign(configuration, await fetchConfiguration());
      showSiteAccent(configuration.AccentColor);
    },

    isB2cOnly: () => isB2cOnly(configuration),
    /** The ways to sign in, the likeliest first. */
    ways: () => entrance.session()?.ways() ?? [],
    /** By which way to sign in; by B2C where there is nothing to choose. */
    chooseWay: async () => (await entrance.session()?.chooseWay()) ?? {},

    /** Who is signed in in this browser, if anybody is. A refusal of that person is left to the caller. */
    async findUser(): Promise<UserDetail | null> {
      const byServer = entrance.session();
      if (!byServer) return entrance.account() ? session.loadUser() : null;
      user = await byServer.findUser((isQuiet) => session.loadUser(isQuiet));
      return user;
    },

    /** Who am I (C1). A failure is left to the caller, since what follows differs. */
    async loadUser(isQuiet?: true): Promise<UserDetail> {
      await new Promise((resolve) => setTimeout(resolve, beforeUserDataMilliseconds));
      // As nobody: an answer that a sign-in is needed leads to none.
      const me = await call(isQuiet ? { ...getMe, access: 'public' as const } : getMe);
      const { Id, Email, DisplayName, IsAdmin } = me;
      user = { Id, Email, DisplayName, IsAdmin };
      writeUserDetail(user);
      entrance.session()?.begun(user);
      forgetRedirects();
      isBack = false;
      await settlePreferences(me);
      return user;
    },

    /**
     * Redeems the invitation of a sign-up that has just succeeded (D16). Where the provider gives no token without a
     * person's help it is left to the first sign-in.
     */
    async redeemInvitation(): Promise<void> {
      if ((await entrance.accessToken({ renew: false })) !== null) await session.loadUser();
    },

    /** Clears everything in every tab and ends the provider's session; the reason is told afterwards (E1, E2, C6). */
    signOut(after: AfterSignOut = {}): Promise<void> {
      // Several refusals may arrive at once; a second start would cut the first one's way to the provider short.
      signingOut ??= leaveForGood(entrance, departure, after, () => (signingOut = null));
      return signingOut;
    },
  };

  giveTokens(session, entrance, departure);
  followThisBrowser(entrance, departure, (personId) => user !== null && user.Id !== personId);

  return session;
}

/**
 * Clears what this browser keeps, in every tab, and leaves by way of the provider. Throws where the server's session could not be ended:
 * whoever wanted to leave is still inside.
 */
async function leaveForGood(
  entrance: Entrance,
  departure: Departure,
  after: AfterSignOut,
  onStay: () => void,
): Promise<void> {
  departure.begin();
  const byServer = entrance.session();
  const address = await entrance.signOutAddress().catch((error: unknown) => {
    // Whom the server refuses is out all the same.
    if (after.error) return null;
    onStay();
    departure.stay();
    throw error;
  });
  await new Promise((resolve) => setTimeout(resolve, beforeClearingMilliseconds));
  clearAllStorage(after.error);
  if (after.error) writeStoredError(after.error);
  // The provider may remember whom this page has just signed out.
  const nextSignIn = after.nextSignIn ?? (byServer && { afresh: true });
  if (nextSignIn) writeNextSignIn(nextSignIn);
  if (after.invitation) writePendingInvitation(after.invitation);
  window.location.replace(address ?? '/');
}

/** Gives calls their tokens, or leads to a new sign-in where there is none. */
function giveTokens(
  session: { isBack: () => boolean; signIn: () => Promise<StoredError | null> },
  entrance: Entrance,
  departure: Departure,
): void {
  setTokenProvider(async ({ renew }) => {
    // An answer would come too late, and a second redirect would disturb the first.
    if (departure.isUnderWay()) await departure.over();
    const byServer = entrance.session();
    if (byServer) {
      if (!renew) return null;
      byServer.ended();
      return departure.toStart();
    }
    let token: string | null;
    try {
      token = await entrance.accessToken({ renew });
    } catch (error) {
      throw toCallFailure(toStoredError(error), error);
    }
    if (token !== null) return token;
    // Another call, or the page's return, may have begun to leave meanwhile.
    if (departure.isUnderWay()) return forever();
    const { pathname, search, hash } = window.location;
    const isInside = isSignedInPath(pathname);
    if (isInside) saveUrl(pathname + search + hash);
    const failure = session.isBack() ? null : await session.signIn();
    if (failure) throw toCallFailure(failure, null);
    if (!isInside) throw new CallFailure({ code: backWithoutSignIn, message: '', requestId: '' }, 0);
    writeBack();
    return departure.toStart();
  });
}

/** Whoever signs out, or in as somebody else, in another tab of this browser does so in this one, too. */
function followThisBrowser(
  entrance: Entrance,
  departure: Departure,
  isSomebodyElse: (personId: string) => boolean,
): void {
  let kept = '';
  whenLeft(() => (kept = namesKept()));
  const leaveIfChanged = (): void => {
    if (namesKept() === kept) return;
    // Signed out elsewhere, or somebody else: nothing of what stands here is to be seen.
    document.body.hidden = true;
    writeBack();
    departure.reload();
  };
  whenRestored(() => {
    leaveIfChanged();
    // What other tabs did meanwhile may reach the page a moment after it is shown.
    window.addEventListener('storage', leaveIfChanged);
    setTimeout(() => window.removeEventListener('storage', leaveIfChanged), lateNewsMilliseconds);
  });

  whenSignedOutElsewhere(() => {
    if (entrance.session()) writeNextSignIn({ afresh: true });
    void departure.toStart();
  });

  entrance.session()?.whenBegunElsewhere((personId) => {
    if (isSomebodyElse(personId)) void departure.toStart();
  });
}

/** What the error screen shows of an error of the provider, or of a call. */
export function toStoredError(error: unknown): StoredError {
  if (!isProviderError(error)) return describeFailure(error);
  return { message: error.message, ...(error.reference && { reference: error.reference }) };
}

/** By name: the class is in the chunk of the provider's library. */
function isProviderError(error: unknown): error is ProviderError {
  return error instanceof Error && error.name === 'ProviderError';
}

/** Whether a call failed because somebody is back from the provider's page without having signed in. */
export function isBackWithoutSignIn(error: unknown): boolean {
  return error instanceof CallFailure && error.code === backWithoutSignIn;
}

/** Not by a code of the server's, whose sentence would take the place of this one. */
function toCallFailure({ message, reference = '' }: StoredError, cause: unknown): CallFailure {
  return new CallFailure({ code: 'sign_in.at_provider', message, requestId: reference }, 0, cause);
}

/** What to tell somebody whom the server refuses altogether. */
export function reasonToLeave(error: unknown): StoredError {
  const isSignedOut = error instanceof CallFailure && error.code === 'person.signed_out';
  return { ...describeFailure(error), ...(isSignedOut && { isSignedOut }) };
}
