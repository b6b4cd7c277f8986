/** State machine of a sign-up, from the invitation link to the finished account (D1 to D16). */
import { t } from '@lingui/core/macro';
import { useRouter } from '@tanstack/react-router';
import type { SignInMethod } from '@vestibule/contract/configuration';
import {
  getInvitationLinkState,
  getInviteToken,
  reportInviteCancelled,
  requestNewLink,
} from '@vestibule/contract/invitations/link';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { CallFailure, describeFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';
import { navigationType } from '../../../lib/page-return.ts';
import { invitationOf } from '../address-parameters.ts';
import type { ProviderError } from '../provider/provider-error.ts';
import type { Session } from '../session.ts';
import { takeStored, type InvitationInAddress, writeStored } from '../storage/storage.ts';

export type SignUpState =
  | { kind: 'working'; status: string }
  | { kind: 'returned'; invitation: InvitationInAddress }
  | { kind: 'already-signed-up' | 'invalid' | 'suspended' | 'succeeded' | 'link-requested' }
  | { kind: 'expired'; code: string; failure?: string }
  | { kind: 'failed'; message: string; reference?: string; invitation: InvitationInAddress }
  | { kind: 'sign-up-error'; message: string }
  | { kind: 'other-account'; signedInAs: string; invited: string; search: string }
  | OfferedInvitation;

type OfferedInvitation = {
  kind: 'open';
  code: string;
  inviter: string | null;
  email: string;
  /** Name from the invitation; may be empty. */
  name: string;
  /** A mailed code is required before the passkey. */
  codeFirst: boolean;
  /** Name of the organization that the invitee joins; null for an invitation to the site only. */
  organization: string | null;
  organizationLogo: { path: string } | null;
  /** Provider of the organization that has the domain of the address. */
  connection: SignInMethod | null;
};

export type SignUp = {
  state: SignUpState;
  start: (invitation: InvitationInAddress) => Promise<void>;
  requestLink: (code: string) => Promise<void>;
  accept: (offer: OfferedInvitation, method: SignInMethod) => Promise<void>;
  goHome: () => void;
};

export function useSignUp(session: Session): SignUp {
  const router = useRouter();
  const [state, setState] = useState<SignUpState>({ kind: 'working', status: t`Checking your invitation…` });
  const hasStarted = useRef(false);
  const goHome = () => window.location.replace('/');
  const showStatus = (status: string) => setState({ kind: 'working', status });

  const start = async (invitation: InvitationInAddress): Promise<void> => {
    showStatus(t`Checking your invitation…`);
    if ('token' in invitation) return signUpAtProvider(invitation.token, invitation);
    return session.isB2cOnly() ? exchange(invitation) : loadOffer(invitation.code);
  };

  const exchange = async (invitation: { code: string }): Promise<void> => {
    const result = await exchangeCode(invitation.code);
    if (typeof result !== 'string') return setState(result);
    // D1 requires the token in the address, D13 its removal once read. The code stays, so that Back returns to the invitation.
    await router.navigate({ href: `/signup?t=${encodeURIComponent(result)}`, replace: true });
    await router.navigate({ href: `/signup?i=${encodeURIComponent(invitation.code)}`, replace: true });
    return signUpAtProvider(result, invitation);
  };

  /** Loads an invitation on a site with server sessions, where the user accepts it with one click (M4). */
  const loadOffer = async (code: string): Promise<void> => {
    const offer = await loadInvitation(code);
    if (offer.kind !== 'open') return setState(offer);
    // A refused user counts as signed out.
    const user = await session.findUser().catch(() => null);
    if (!user) return setState(offer);
    const search = `?i=${encodeURIComponent(code)}`;
    setState({ kind: 'other-account', signedInAs: user.Email, invited: offer.email, search });
  };

  const accept = async (offer: OfferedInvitation, method: SignInMethod): Promise<void> => {
    const invitation = { code: offer.code };
    writeStored('invitationUnderWay', invitation);
    if (method.kind === 'b2c') return exchange(invitation);
    showStatus(t`Taking you to the sign-in page…`);
    const failure = await session.signIn({ method, invitation: offer.code });
    setState(failure ? { kind: 'failed', ...failure, invitation } : offer);
  };

  /** Redirects to the provider. If a user is signed in, shows a choice of how to continue instead (D14). */
  const signUpAtProvider = async (token: string, invitation: InvitationInAddress): Promise<void> => {
    const account = session.account();
    if (account)
      return setState({
        kind: 'other-account',
        signedInAs: account.email,
        invited: invitedEmail(token),
        search: `?t=${encodeURIComponent(token)}`,
      });
    showStatus(t`Taking you to the sign-up page…`);
    writeStored('invitationUnderWay', invitation);
    const failure = await session.signUp(token);
    setState(
      failure ? { kind: 'failed', ...failure, invitation: { token } } : { kind: 'returned', invitation },
    );
  };

  /** Requests a new link, which is mailed to the invited address. Shows the same text for every code (D15). */
  const requestLink = async (code: string): Promise<void> => {
    try {
      await call(requestNewLink, { body: { code } });
      setState({ kind: 'link-requested' });
    } catch (error) {
      setState({ kind: 'expired', code, failure: describeFailure(error).message });
    }
  };

  /** Redeems the invitation by the first authenticated call (D16). */
  const finish = async (): Promise<void> => {
    showStatus(t`Finishing your sign-up…`);
    try {
      await session.redeemInvitation();
    } catch (error) {
      // If the server is unreachable, the first sign-in redeems the invitation.
      if (error instanceof CallFailure && error.status === 403)
        return setState({ kind: 'sign-up-error', message: error.message });
    }
    return setState({ kind: 'succeeded' });
  };

  /** Handles the return from the provider, with its error. */
  const handleReturn = async (error: ProviderError | null): Promise<void> => {
    const pending = takeStored('invitationUnderWay');
    if (!error) return finish();
    if (error.kind !== 'cancelled')
      return setState({ kind: 'sign-up-error', message: error.providerText || error.message });
    // D10: the user gets no message; the timeline records the cancellation.
    showStatus(t`Taking you back…`);
    if (pending) await reportCancellation(pending);
    // The start page uses this to return to the invitation (D10).
    if (pending && 'code' in pending)
      writeStored('invitationLeft', `/signup?i=${encodeURIComponent(pending.code)}`);
    return goHome();
  };

  const handleArrival = useEffectEvent(async (): Promise<void> => {
    const redirect = session.takeRedirect();
    if (redirect.kind === 'sign-up') return handleReturn(redirect.error);
    // After a reload the token is no longer in the address, but in session storage.
    const pending = navigationType() === 'navigate' ? null : takeStored('invitationUnderWay');
    const invitation = session.takeInvitation() ?? invitationOf(window.location.search) ?? pending;
    if (!invitation) return goHome();
    if ('token' in invitation) void router.navigate({ to: '/signup', replace: true });
    const startsImmediately = session.isB2cOnly() || 'token' in invitation;
    return session.isHistoryNavigation() && startsImmediately
      ? setState({ kind: 'returned', invitation })
      : start(invitation);
  });

  useEffect(() => {
    if (hasStarted.current) return;
    hasStarted.current = true;
    void handleArrival();
  }, []);

  return { state, start, requestLink, accept, goHome };
}

/** Returns the invitation of a link, or the state for an unusable link (D6 to D8). */
async function loadInvitation(code: string): Promise<SignUpState> {
  try {
    const { state, acceptAfterSignIn, ...offer } = await call(getInvitationLinkState, { body: { code } });
    if (acceptAfterSignIn) {
      // The invitee has an account: signs in, and accepts the invitation to the organization after that.
      // The fragment is not sent to the server.
      window.location.replace(
        `/layout/join/${acceptAfterSignIn}#for=${encodeURIComponent(offer.email ?? '')}`,
      );
      return { kind: 'working', status: t`Checking your invitation…` };
    }
    if (state === 'open') return { kind: 'open', code, ...offer, email: offer.email ?? '' };
    if (state === 'expired') return { kind: 'expired', code };
    if (state === 'suspended') return { kind: 'suspended' };
    return { kind: state === 'signedUp' ? 'already-signed-up' : 'invalid' };
  } catch (error) {
    return toFailedState(error, code);
  }
}

/** Returns the token of an invitation code, or the state for an unusable link (D1). */
async function exchangeCode(code: string): Promise<string | SignUpState> {
  try {
    const { Succeeded, Data, ErrorMessage } = await call(getInviteToken, { body: { code } });
    if (Succeeded && Data) return Data;
    if (ErrorMessage === 'Expired') return { kind: 'expired', code };
    if (ErrorMessage === 'Suspended') return { kind: 'suspended' };
    // An invitation to an organization may be for a person with an account.
    return ErrorMessage === 'AlreadySignedUp' ? await loadInvitation(code) : { kind: 'invalid' };
  } catch (error) {
    return toFailedState(error, code);
  }
}

/** A truncated or overlong link is invalid; network errors and rate limits are not. */
function toFailedState(error: unknown, code: string): SignUpState {
  if (error instanceof CallFailure && error.code === 'request.invalid') return { kind: 'invalid' };
  return { kind: 'failed', ...describeFailure(error), invitation: { code } };
}

/** Returns the address of an invite token, for display only: provider and server verify the token. */
function invitedEmail(token: string): string {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (character) => character.codePointAt(0) ?? 0);
    const { email } = JSON.parse(new TextDecoder().decode(bytes)) as { email?: unknown };
    return typeof email === 'string' ? email : '';
  } catch {
    return '';
  }
}

/** Maximum duration of the report, because the redirect to the start page waits for it. */
const reportTimeoutMilliseconds = 2_000;

/** Reports a cancelled sign-up for the invitation's timeline. Never fails. */
async function reportCancellation(invitation: { code: string } | { token: string }): Promise<void> {
  try {
    await call(reportInviteCancelled, {
      body: invitation,
      signal: AbortSignal.timeout(reportTimeoutMilliseconds),
    });
  } catch {
    // The user is redirected to the start page even after a failure (D10).
  }
}
