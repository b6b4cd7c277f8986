/**
 * What the login screen does (C1 to C6): from the provider's answer and from who is signed in follows where to go.
 * It runs before the application is loaded: somebody who is sent to the provider needs none of it.
 */
import { t } from '@lingui/core/macro';
import { loadKnownTexts } from '../../language/language.ts';
import { takeSavedUrl } from './saved-url.ts';
import { reasonToLeave, type Session } from './session.ts';
import { readStoredError, takePendingInvitation, writeStoredError } from './storage.ts';

/** The address of this site to show next, or null when the page is being left for the provider. */
export async function enter(session: Session, showStatus: (status: string) => void): Promise<string | null> {
  if (readStoredError()) return '/error';
  const pendingInvitation = takePendingInvitation();
  if (pendingInvitation) return `/signup${pendingInvitation}`;
  if (session.redirectKind() === 'sign-up') return '/signup';

  const redirect = session.takeRedirect();
  if (redirect.kind !== 'none' && redirect.error) {
    if (redirect.error.kind === 'forgotten-password') {
      showStatus(t`Taking you to the page for a new password…`);
      // C3: the error screen is what is left on the page when the redirect cannot start.
      const failure = await session.resetPassword();
      return failure && toErrorScreen(failure.message);
    }
    // Whoever leaves the page for a new password wants to sign in after all; that is no error.
    if (redirect.error.kind !== 'cancelled' || redirect.kind === 'sign-in')
      return toErrorScreen(redirect.error.message);
  } else if (session.account()) {
    showStatus(t`Loading your data…`);
    try {
      await session.loadUser();
    } catch (error) {
      showStatus(t`Signing you out…`);
      // What the server said is told in the person's language, if its texts can be had.
      await loadKnownTexts().catch(() => {});
      await session.signOut({ error: reasonToLeave(error) });
      return null;
    }
    return takeSavedUrl();
  }
  showStatus(t`Taking you to the sign-in page…`);
  const failure = await session.signIn();
  return failure && toErrorScreen(failure.message);
}

function toErrorScreen(message: string): string {
  writeStoredError({ message });
  return '/error';
}
