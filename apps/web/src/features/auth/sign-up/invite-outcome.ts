/** Asks for the invite token of a short code and says which dialog follows when there is none (D1, D6 to D8). */
import {
  getInviteToken,
  getInvitationLinkState,
  reportInviteCancelled,
  requestNewLink,
} from '@vestibule/contract/invitations/link';
import { CallFailure, describeFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';

type InviteOutcome =
  | { kind: 'token'; token: string }
  | { kind: 'expired' | 'already-signed-up' | 'invalid' }
  | { kind: 'failed'; message: string; reference?: string };

/** What somebody with a link sees before they choose a way to sign in. */
export type Invited = {
  kind: 'open';
  inviter: string | null;
  email: string;
  /** What the invitation calls them, or empty. */
  name: string;
  /** A mailed code comes before a passkey. */
  codeFirst: boolean;
};

/** Looks at an invitation: who invited whom, or which dialog follows. */
export async function lookAt(code: string): Promise<Invited | Exclude<InviteOutcome, { kind: 'token' }>> {
  try {
    const { state, inviter, email, name, codeFirst } = await call(getInvitationLinkState, { body: { code } });
    if (state === 'open') return { kind: 'open', inviter, email: email ?? '', name, codeFirst };
    return { kind: state === 'signedUp' ? 'already-signed-up' : state };
  } catch (error) {
    return failed(error);
  }
}

export async function exchangeCode(code: string): Promise<InviteOutcome> {
  try {
    const answer = await call(getInviteToken, { body: { code } });
    if (answer.Succeeded && answer.Data) return { kind: 'token', token: answer.Data };
    if (answer.ErrorMessage === 'Expired') return { kind: 'expired' };
    return { kind: answer.ErrorMessage === 'AlreadySignedUp' ? 'already-signed-up' : 'invalid' };
  } catch (error) {
    return failed(error);
  }
}

/** A link that is cut off or far too long is a wrong link; no answer, or too many attempts, is not. */
function failed(error: unknown): { kind: 'invalid' } | Extract<InviteOutcome, { kind: 'failed' }> {
  if (error instanceof CallFailure && error.code === 'request.invalid') return { kind: 'invalid' };
  return { kind: 'failed', ...describeFailure(error) };
}

/** The address an invite token was made for. For display only: the provider and the server check the token. */
export function invitedEmail(token: string): string {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (character) => character.codePointAt(0) ?? 0);
    const { email } = JSON.parse(new TextDecoder().decode(bytes)) as { email?: unknown };
    return typeof email === 'string' ? email : '';
  } catch {
    return '';
  }
}

/** Asks for a fresh link, which goes to the invited address only (D15). Gives the sentence to show when nobody answered. */
export async function askForNewLink(code: string): Promise<string | null> {
  try {
    await call(requestNewLink, { body: { code } });
    return null;
  } catch (error) {
    return describeFailure(error).message;
  }
}

/** The longest that somebody who has cancelled waits for the server to hear of it, in milliseconds. */
const tellWithin = 2_000;

/** Tells the server that somebody cancelled at the provider, for the invitation's timeline. Never fails. */
export async function tellCancelled(invitation: { code: string } | { token: string }): Promise<void> {
  try {
    await call(reportInviteCancelled, { body: invitation, signal: AbortSignal.timeout(tellWithin) });
  } catch {
    // The person goes home either way (D10).
  }
}
