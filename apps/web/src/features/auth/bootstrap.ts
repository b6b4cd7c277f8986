/** The login screen's decisions (C1 to C6), made before the application is loaded. */
import { t } from '@lingui/core/macro';
import { loadServerTexts } from '../../language/language.ts';
import { waitUntilShown } from '../../lib/page-return.ts';
import { readSavedUrl, takeSavedUrl } from './storage/return-url.ts';
import { isReturnWithoutSignIn, toSignOutReason, toStoredError, type Session } from './session.ts';
import { offerSignIn, showLoginStatus } from './start-screen.ts';
import { readStored, takeStored, type StoredError, writeStored } from './storage/storage.ts';

/** Parameter of saved addresses that expect a confirmation (confirm/return-result.ts). */
const confirmedParameter = /[?&]back=confirmed$/;

/** Returns the path to show next. Null if the login screen stays: the page is being left, or the user continues with a button. */
export async function bootstrap(session: Session): Promise<string | null> {
  if (readStored('errorMessage')) return '/error';
  const invitation = takeStored('pendingInvitation');
  if (invitation) return `/signup${invitation}`;
  if (session.redirectKind() === 'sign-up') return '/signup';

  const redirect = session.takeRedirect();
  const error = redirect.kind === 'none' ? null : redirect.error;
  // A user who cancels a confirmation at the provider is still signed in.
  const isStillSignedIn =
    error?.kind === 'cancelled' && session.account() && confirmedParameter.test(readSavedUrl());
  if (error && !isStillSignedIn) {
    if (error.kind === 'forgotten-password') {
      showLoginStatus(t`Taking you to the page for a new password…`);
      return nextAfterRedirect(await session.resetPassword());
    }
    // Cancelling a password reset continues with the sign-in and is not an error.
    if (error.kind !== 'cancelled' || redirect.kind === 'sign-in') return toErrorScreen(toStoredError(error));
  } else {
    if (session.account()) showLoginStatus(t`Loading your data…`);
    try {
      if (await session.findUser())
        return redirect.kind === 'sign-in' && !error
          ? takeSavedUrl()
          : takeSavedUrl().replace(confirmedParameter, '');
    } catch (refusal) {
      await waitUntilShown();
      if (isReturnWithoutSignIn(refusal)) return nextAfterRedirect(null);
      showLoginStatus(t`Signing you out…`);
      // Without these texts the server's message is shown in English.
      await loadServerTexts().catch(() => {});
      await session.signOut({ error: toSignOutReason(refusal) });
      return null;
    }
  }
  // The Back button must not redirect to the provider again (C2).
  if (session.isHistoryNavigation()) return nextAfterRedirect(null);
  const choice = await session.chooseSignInMethod();
  showLoginStatus(t`Taking you to the sign-in page…`);
  return nextAfterRedirect(await session.signIn(choice));
}

/** Returns the error screen's path after a failed redirect. Null if the user returned with the Back button. */
function nextAfterRedirect(failure: StoredError | null): Promise<string> | null {
  if (failure) return toErrorScreen(failure);
  offerSignIn();
  return null;
}

async function toErrorScreen(error: StoredError): Promise<string> {
  await waitUntilShown();
  writeStored('errorMessage', error);
  return '/error';
}
