/**
 * What the login screen does (C1 to C6): from the provider's answer and from who is signed in follows where to go.
 * It runs before the application is loaded: somebody who is sent to the provider needs none of it.
 */
import { t } from '@lingui/core/macro';
import { loadServerTexts } from '../../language/language.ts';
import { whileHere } from '../../lib/page-return.ts';
import { readSavedUrl, takeSavedUrl } from './storage/return-url.ts';
import { isBackWithoutSignIn, reasonToLeave, toStoredError, type Session } from './session.ts';
import { offerSignIn, showLoginStatus } from './start-screen.ts';
import {
  readStoredError,
  takePendingInvitation,
  writeStoredError,
  type StoredError,
} from './storage/storage.ts';

/** Of an address that was saved to come back to with a confirmation (confirm/return-result.ts). */
const confirmed = /[?&]back=confirmed$/;

/** The address of this site to show next, or null when this screen stays: the page is left, or whoever is back goes on when they like. */
export async function bootstrap(session: Session): Promise<string | null> {
  if (readStoredError()) return '/error';
  const pendingInvitation = takePendingInvitation();
  if (pendingInvitation) return `/signup${pendingInvitation}`;
  if (session.redirectKind() === 'sign-up') return '/signup';

  const redirect = session.takeRedirect();
  const error = redirect.kind === 'none' ? null : redirect.error;
  // Whoever leaves the provider's page instead of confirming is inside all the same.
  const isInside = error?.kind === 'cancelled' && session.account() && confirmed.test(readSavedUrl());
  if (error && !isInside) {
    if (error.kind === 'forgotten-password') {
      showLoginStatus(t`Taking you to the page for a new password…`);
      // C3: the error screen is what is left on the page when the redirect cannot start.
      return next(await session.resetPassword());
    }
    // Whoever leaves the page for a new password wants to sign in after all; that is no error.
    if (error.kind !== 'cancelled' || redirect.kind === 'sign-in') return toErrorScreen(toStoredError(error));
  } else {
    if (session.account()) showLoginStatus(t`Loading your data…`);
    try {
      if (await session.findUser())
        return redirect.kind === 'sign-in' && !error ? takeSavedUrl() : takeSavedUrl().replace(confirmed, '');
    } catch (refusal) {
      await whileHere();
      if (isBackWithoutSignIn(refusal)) return next(null);
      showLoginStatus(t`Signing you out…`);
      // What the server said is told in the person's language, if its texts can be had.
      await loadServerTexts().catch(() => {});
      await session.signOut({ error: reasonToLeave(refusal) });
      return null;
    }
  }
  // C2 is for whoever opens the site. Who comes back to it by the browser's buttons would be sent away again by each press.
  if (session.isBack()) return next(null);
  const chosen = await session.chooseWay();
  showLoginStatus(t`Taking you to the sign-in page…`);
  return next(await session.signIn(chosen));
}

/** After the provider's page was to be left for: its trouble, or nothing when somebody is back from there. */
function next(failure: StoredError | null): Promise<string> | null {
  if (failure) return toErrorScreen(failure);
  offerSignIn();
  return null;
}

async function toErrorScreen(error: StoredError): Promise<string> {
  await whileHere();
  writeStoredError(error);
  return '/error';
}
