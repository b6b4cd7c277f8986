/**
 * How somebody gets in and out, whichever way they take. A kind of way is a program of its own (create-auth-client.ts): Azure AD B2C
 * by its library in this page (provider/), any other provider led by the server (session-auth.ts).
 */
import type { Configuration, SignInMethod } from '@vestibule/contract/configuration';
import type { UserDetail } from '@vestibule/contract/profile/me';
import type { ProviderError } from './provider/provider-error.ts';
import type { NextSignIn, RedirectKind } from './storage/storage.ts';

type SignedInAccount = { email: string; name: string };

/** What the redirect that led to this page brought back. */
export type RedirectOutcome =
  | { kind: 'none' }
  | { kind: RedirectKind; error: null }
  | { kind: RedirectKind; error: ProviderError };

/** The way that somebody takes; B2C where none is named. */
export type ChosenWay = {
  way?: SignInMethod;
  /** Whose domain named the way. */
  address?: string;
  /** Where the server leads them, where it has been asked already. */
  url?: string | null;
};

/** A sign-in by one of the ways, perhaps with an invitation. */
export type SignInBy = NextSignIn &
  ChosenWay & {
    /** The short code of an invitation. */
    invitation?: string;
  };

export type Entrance = {
  /** Finishes a redirect, if this page is the return of one (B2). Never throws. */
  handleRedirect(): Promise<RedirectOutcome>;
  /** The one person who is signed in through B2C, or null (C11). */
  account(): SignedInAccount | null;
  /** The address of the sign-in page to leave for (C2). Throws a ProviderError or a CallFailure when there is none to be had. */
  signIn(by: SignInBy): Promise<string>;
  resetPassword(): Promise<string>;
  /** That of the sign-up policy, with the invite token as id-token hint (D4). */
  signUp(inviteToken: string): Promise<string>;
  /** An access token for the API, from the cache, the refresh token or a hidden frame; null when only a person can help (C8). */
  accessToken(options: { renew: boolean }): Promise<string | null>;
  /**
   * The address to leave for so that the provider's session ends too. Null when the provider cannot be reached. Throws a CallFailure
   * when the server's session could not be ended.
   */
  signOutAddress(): Promise<string | null>;
  /** What is otherwise where the server leads; null while somebody comes and goes by B2C. */
  session(): ServerSession | null;
};

/** A session of the server's: calls carry its cookie, which the browser adds by itself, instead of a token. */
export type ServerSession = {
  /** The ways to sign in, the one that was used last in this browser first. */
  ways(): SignInMethod[];
  /** The one way there is; else a person chooses, as they do where the provider might let in again whom this page has just signed out. */
  chooseWay(): Promise<ChosenWay>;
  /** Who is signed in in this browser, if anybody is: nobody is sent to a sign-in for that question. */
  findUser(load: (isQuiet: true) => Promise<UserDetail>): Promise<UserDetail | null>;
  /** The session has ended. What this tab keeps of it goes, but for where it was; the login screen then begins nothing by itself. */
  ended(): void;
  /** Somebody is signed in: tabs of anybody else hear of it. */
  begun(user: UserDetail): void;
  /** Calls back when somebody has signed in in another tab. */
  whenBegunElsewhere(callback: (personId: string) => void): void;
};

/** Whether nothing of a session's is here. */
export function isB2cOnly({ Ways }: Configuration): boolean {
  return Ways.every(({ kind }) => kind === 'b2c');
}
