/** Sign-in and sign-out for any method: B2C uses MSAL (provider/), other methods use server sessions (session-auth.ts). */
import type { Configuration, SignInMethod } from '@vestibule/contract/configuration';
import type { UserDetail } from '@vestibule/contract/profile/me';
import type { ProviderError } from './provider/provider-error.ts';
import type { NextSignIn, RedirectKind } from './storage/storage.ts';

export type RedirectOutcome = { kind: 'none' } | { kind: RedirectKind; error: ProviderError | null };

/** The selected sign-in method; B2C if `method` is not set. */
export type ChosenSignInMethod = {
  method?: SignInMethod;
  /** E-mail address whose domain determined the method. */
  address?: string;
  /** Authorization URL, if the server has returned it already. */
  url?: string | null;
};

export type SignInRequest = NextSignIn & ChosenSignInMethod & { invitation?: string };

export type AuthClient = {
  /** Completes a redirect if this page is its target (B2). Never throws. */
  handleRedirect(): Promise<RedirectOutcome>;
  /** Account signed in through B2C, or null (C11). */
  account(): { email: string; name: string } | null;
  /** Returns the URL of the sign-in page (C2). Throws a ProviderError or CallFailure if the URL cannot be determined. */
  signIn(request: SignInRequest): Promise<string>;
  resetPassword(): Promise<string>;
  /** Returns the URL of the sign-up page; the invite token is its id_token_hint (D4). */
  signUp(inviteToken: string): Promise<string>;
  /** Returns an access token for the API; null if the user must interact (C8). */
  accessToken(options: { renew: boolean }): Promise<string | null>;
  /**
   * Ends the session and returns the provider's sign-out URL; null if the provider is unreachable. Throws a CallFailure if the session
   * could not be ended.
   */
  signOutAddress(): Promise<string | null>;
  /** Null while the user is signed in through B2C. */
  session(): ServerSession | null;
};

/** A server session. The browser sends its cookie; calls carry no token. */
export type ServerSession = {
  /** Sign-in methods; the last one used in this browser comes first. */
  signInMethods(): SignInMethod[];
  /** Lets the user choose a method. If there is only one, returns it directly, unless the user has just signed out. */
  chooseSignInMethod(): Promise<ChosenSignInMethod>;
  /** Returns the signed-in user, or null. Never redirects to a sign-in. */
  findUser(load: (isQuiet: true) => Promise<UserDetail>): Promise<UserDetail | null>;
  /** Clears the ended session from this tab, but saves the current address. The login screen then waits for the user. */
  handleEnd(): void;
  /** Announces the user to other tabs, which reload if they show another user. */
  handleStart(user: UserDetail): void;
  onSignInElsewhere(callback: (personId: string) => void): void;
};

/** Whether everyone signs in with B2C, also people with an address of an organization's domain. */
export const isB2cOnly = ({ Ways, KnowsDomains }: Configuration): boolean =>
  !KnowsDomains && Ways.every(({ kind }) => kind === 'b2c');
