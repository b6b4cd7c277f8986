import { t } from '@lingui/core/macro';
import { getApplicationName } from '@vestibule/contract/applications/open';
import { call } from '../../../lib/call.ts';
import { readSavedUrl } from '../storage/return-url.ts';

/** Returns the sentence of the login screen: it names the application that the user opens after the sign-in. */
export async function findSentence(isSignedOut: boolean, usual: string): Promise<string> {
  const application = await findApplicationName();
  if (application !== null) return t`Sign in to continue to ${application}.`;
  return isSignedOut ? t`You are signed out.` : usual;
}

async function findApplicationName(): Promise<string | null> {
  const { pathname, searchParams } = new URL(readSavedUrl(), window.location.origin);
  const address = searchParams.get('address');
  if (pathname !== '/layout/open-application' || address === null) return null;
  try {
    return (await call(getApplicationName, { query: { address } })).name;
  } catch {
    // The sign-in works without the name.
    return null;
  }
}
