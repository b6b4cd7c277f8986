/** State machine of a sign-up, from the invitation link to the finished account (D1 to D16). */
import { t } from '@lingui/core/macro';
import { useRouter } from '@tanstack/react-router';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { CallFailure } from '../../../language/call-failure.ts';
import { navigationType } from '../../../lib/page-return.ts';
import { invitationOf, type InvitationInAddress } from '../address-parameters.ts';
import type { Session } from '../session.ts';
import { storePendingInvitation, takePendingInvitation } from './pending-invitation.ts';
import {
  requestRenewal,
  exchangeCode,
  invitedEmail,
  loadInvitation,
  reportCancellation,
  type OpenInvitation,
} from './invite-outcome.ts';

export type SignUpState =
  | { kind: 'working'; status: string }
  | { kind: 'returned'; invitation: InvitationInAddress }
  | { kind: 'already-signed-up' | 'invalid' | 'succeeded' | 'link-requested' }
  | { kind: 'expired'; code: string; failure?: string }
  | { kind: 'failed'; message: string; reference?: string; invitation: InvitationInAddress }
  | { kind: 'sign-up-error'; message: string }
  | { kind: 'other-account'; signedInAs: string; invited: string; search: string }
  | OfferedInvitation;

type OfferedInvitation = Omit<OpenInvitation, 'kind'> & { kind: 'open'; code: string };

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

  const start = async (invitation: InvitationInAddress): Promise<void> => {
    setState({ kind: 'working', status: t`Checking your invitation…` });
    if ('token' in invitation) return signUpAtProvider(invitation.token, invitation);
    return session.isB2cOnly() ? exchange(invitation) : loadOffer(invitation.code);
  };

  const exchange = async (invitation: { code: string }): Promise<void> => {
    const outcome = await exchangeCode(invitation.code);
    if (outcome.kind === 'failed') return setState({ ...outcome, invitation });
    if (outcome.kind === 'expired') return setState({ kind: 'expired', code: invitation.code });
    if (outcome.kind !== 'token') return setState({ kind: outcome.kind });
    // D1 requires the token in the address, D13 its removal once read. The code stays, so that Back returns to the invitation.
    await router.navigate({ href: `/signup?t=${encodeURIComponent(outcome.token)}`, replace: true });
    await router.navigate({ href: `/signup?i=${encodeURIComponent(invitation.code)}`, replace: true });
    return signUpAtProvider(outcome.token, invitation);
  };

  /** Loads an invitation on a site with server sessions, where the user accepts it with one click (M4). */
  const loadOffer = async (code: string): Promise<void> => {
    const outcome = await loadInvitation(code);
    if (outcome.kind === 'failed') return setState({ ...outcome, invitation: { code } });
    if (outcome.kind === 'expired') return setState({ kind: 'expired', code });
    if (outcome.kind !== 'open') return setState({ kind: outcome.kind });
    // A refused user counts as signed out.
    const user = await session.findUser().catch(() => null);
    if (!user) return setState({ ...outcome, kind: 'open', code });
    const search = `?i=${encodeURIComponent(code)}`;
    setState({ kind: 'other-account', signedInAs: user.Email, invited: outcome.email, search });
  };

  const accept = async (offer: OfferedInvitation, method: SignInMethod): Promise<void> => {
    const invitation = { code: offer.code };
    storePendingInvitation(invitation);
    if (method.kind === 'b2c') return exchange(invitation);
    setState({ kind: 'working', status: t`Taking you to the sign-in page…` });
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
    setState({ kind: 'working', status: t`Taking you to the sign-up page…` });
    storePendingInvitation(invitation);
    const failure = await session.signUp(token);
    setState(
      failure ? { kind: 'failed', ...failure, invitation: { token } } : { kind: 'returned', invitation },
    );
  };

  /** Requests a new link, which is mailed to the invited address. Shows the same text for every code (D15). */
  const requestLink = async (code: string): Promise<void> => {
    const failure = await requestRenewal(code);
    setState(failure === null ? { kind: 'link-requested' } : { kind: 'expired', code, failure });
  };

  /** Handles the return from the provider. The first authenticated call redeems the invitation (D16). */
  const finish = async (): Promise<void> => {
    setState({ kind: 'working', status: t`Finishing your sign-up…` });
    try {
      await session.redeemInvitation();
    } catch (error) {
      // If the server is unreachable, the first sign-in redeems the invitation.
      if (error instanceof CallFailure && error.status === 403)
        return setState({ kind: 'sign-up-error', message: error.message });
    }
    return setState({ kind: 'succeeded' });
  };

  const handleArrival = useEffectEvent(async (): Promise<void> => {
    const redirect = session.takeRedirect();
    if (redirect.kind === 'sign-up') {
      const pending = takePendingInvitation();
      if (!redirect.error) return finish();
      // D10: the user gets no message; the timeline records the cancellation.
      if (redirect.error.kind === 'cancelled') {
        setState({ kind: 'working', status: t`Taking you back…` });
        if (pending) {
          await reportCancellation(pending);
          // The start page uses this to return to the invitation (D10).
          if ('code' in pending)
            window.sessionStorage.setItem('invitationLeft', `/signup?i=${encodeURIComponent(pending.code)}`);
        }
        return goHome();
      }
      const { providerText, message } = redirect.error;
      return setState({ kind: 'sign-up-error', message: providerText || message });
    }
    // After a reload the token is no longer in the address, but in session storage.
    const pending = navigationType() === 'navigate' ? null : takePendingInvitation();
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
