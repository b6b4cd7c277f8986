/** Where somebody stands between an invitation link and a finished sign-up, and the steps from there (D1 to D16). */
import { t } from '@lingui/core/macro';
import { useRouter } from '@tanstack/react-router';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { CallFailure } from '../../../language/call-failure.ts';
import { navigationType } from '../../../lib/page-return.ts';
import { invitationOf, type InvitationInAddress } from '../address-parameters.ts';
import type { Session } from '../session.ts';
import { keepInvitation, takeInvitation } from './pending-invitation.ts';
import {
  askForNewLink,
  exchangeCode,
  invitedEmail,
  lookAt,
  tellCancelled,
  type Invited,
} from './invite-outcome.ts';

export type SignUpState =
  | { kind: 'working'; status: string }
  | { kind: 'back'; invitation: InvitationInAddress }
  | { kind: 'already-signed-up' | 'invalid' | 'succeeded' | 'new-link-asked' }
  | { kind: 'expired'; code: string; trouble?: string }
  | { kind: 'failed'; message: string; reference?: string; invitation: InvitationInAddress }
  | { kind: 'sign-up-error'; message: string }
  | { kind: 'other-account'; signedInAs: string; invited: string; search: string }
  | Offered;

/** Who invited whom, and nothing has begun: the ways to accept it are offered. */
type Offered = Omit<Invited, 'kind'> & { kind: 'offered'; code: string };

export type SignUp = {
  state: SignUpState;
  /** Takes the invitation to the provider's page. */
  begin: (invitation: InvitationInAddress) => Promise<void>;
  /** Asks for a fresh link in the place of an expired one. */
  newLink: (code: string) => Promise<void>;
  /** Accepts an invitation by one of the ways. */
  accept: (offered: Offered, way: SignInMethod) => Promise<void>;
  goHome: () => void;
};

export function useSignUp(session: Session): SignUp {
  const router = useRouter();
  const [state, setState] = useState<SignUpState>({ kind: 'working', status: t`Checking your invitation…` });
  const begun = useRef(false);
  const goHome = () => window.location.replace('/');

  const begin = async (invitation: InvitationInAddress): Promise<void> => {
    setState({ kind: 'working', status: t`Checking your invitation…` });
    if ('token' in invitation) return offer(invitation.token, invitation);
    return session.isB2cOnly() ? exchange(invitation) : look(invitation.code);
  };

  const exchange = async (invitation: { code: string }): Promise<void> => {
    const outcome = await exchangeCode(invitation.code);
    if (outcome.kind === 'failed') return setState({ ...outcome, invitation });
    if (outcome.kind === 'expired') return setState({ kind: 'expired', code: invitation.code });
    if (outcome.kind !== 'token') return setState({ kind: outcome.kind });
    // D1 asks for the address with the token, D13 for its removal as soon as it has been read. The code stays,
    // so that the back button of the provider's page leads to the invitation and not to a sign-in.
    await router.navigate({ href: `/signup?t=${encodeURIComponent(outcome.token)}`, replace: true });
    await router.navigate({ href: `/signup?i=${encodeURIComponent(invitation.code)}`, replace: true });
    return offer(outcome.token, invitation);
  };

  /** Where the server leads it asks for nothing but a click (M4). */
  const look = async (code: string): Promise<void> => {
    const found = await lookAt(code);
    if (found.kind === 'failed') return setState({ ...found, invitation: { code } });
    if (found.kind === 'expired') return setState({ kind: 'expired', code });
    if (found.kind !== 'open') return setState({ kind: found.kind });
    // Whom the server refuses is nobody here.
    const user = await session.findUser().catch(() => null);
    if (!user) return setState({ ...found, kind: 'offered', code });
    const search = `?i=${encodeURIComponent(code)}`;
    setState({ kind: 'other-account', signedInAs: user.Email, invited: found.email, search });
  };

  const accept = async (offered: Offered, way: SignInMethod): Promise<void> => {
    const invitation = { code: offered.code };
    keepInvitation(invitation);
    if (way.kind === 'b2c') return exchange(invitation);
    setState({ kind: 'working', status: t`Taking you to the sign-in page…` });
    const failure = await session.signIn({ way, invitation: offered.code });
    setState(failure ? { kind: 'failed', ...failure, invitation } : offered);
  };

  /** Starts the flow, unless somebody is signed in here: then they choose (D14). */
  const offer = async (token: string, invitation: InvitationInAddress): Promise<void> => {
    const account = session.account();
    if (account)
      return setState({
        kind: 'other-account',
        signedInAs: account.email,
        invited: invitedEmail(token),
        search: `?t=${encodeURIComponent(token)}`,
      });
    setState({ kind: 'working', status: t`Taking you to the sign-up page…` });
    keepInvitation(invitation);
    const failure = await session.signUp(token);
    setState(failure ? { kind: 'failed', ...failure, invitation: { token } } : { kind: 'back', invitation });
  };

  /** D15: what is said is the same whatever the code is worth; the mail goes to the invited address. */
  const newLink = async (code: string): Promise<void> => {
    const trouble = await askForNewLink(code);
    setState(trouble === null ? { kind: 'new-link-asked' } : { kind: 'expired', code, trouble });
  };

  /** The return from the provider. The first authenticated call redeems the invitation (D16). */
  const finish = async (): Promise<void> => {
    setState({ kind: 'working', status: t`Finishing your sign-up…` });
    try {
      await session.redeemInvitation();
    } catch (error) {
      // Without an answer from the server the invitation is redeemed at the first sign-in instead.
      if (error instanceof CallFailure && error.status === 403)
        return setState({ kind: 'sign-up-error', message: error.message });
    }
    return setState({ kind: 'succeeded' });
  };

  const enter = useEffectEvent(async (): Promise<void> => {
    const redirect = session.takeRedirect();
    if (redirect.kind === 'sign-up') {
      const underWay = takeInvitation();
      if (!redirect.error) return finish();
      // D10: whoever cancelled knows it; the invitation's timeline does not.
      if (redirect.error.kind === 'cancelled') {
        setState({ kind: 'working', status: t`Taking you back…` });
        if (underWay) {
          await tellCancelled(underWay);
          // Home says no word of it (D10), and knows the way back for whoever comes back to it.
          if ('code' in underWay)
            window.sessionStorage.setItem('invitationLeft', `/signup?i=${encodeURIComponent(underWay.code)}`);
        }
        return goHome();
      }
      return setState({
        kind: 'sign-up-error',
        message: redirect.error.said || redirect.error.message,
      });
    }
    // A token has left the address: whoever comes back or loads the page again has it from this tab's memory.
    const underWay = navigationType() === 'navigate' ? null : takeInvitation();
    const invitation = session.takeInvitation() ?? invitationOf(window.location.search) ?? underWay;
    if (!invitation) return goHome();
    if ('token' in invitation) void router.navigate({ to: '/signup', replace: true });
    const beginsByItself = session.isB2cOnly() || 'token' in invitation;
    return session.isBack() && beginsByItself ? setState({ kind: 'back', invitation }) : begin(invitation);
  });

  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    void enter();
  }, []);

  return { state, begin, newLink, accept, goHome };
}
