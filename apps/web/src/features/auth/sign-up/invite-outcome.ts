/** Calls about an invitation link, and the dialog that each response requires (D1, D6 to D8). */
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

export type OpenInvitation = {
  kind: 'open';
  inviter: string | null;
  email: string;
  /** Name from the invitation; may be empty. */
  name: string;
  /** A mailed code is required before the passkey. */
  codeFirst: boolean;
};

export async function loadInvitation(
  code: string,
): Promise<OpenInvitation | Exclude<InviteOutcome, { kind: 'token' }>> {
  try {
    const { state, inviter, email, name, codeFirst } = await call(getInvitationLinkState, { body: { code } });
    if (state === 'open') return { kind: 'open', inviter, email: email ?? '', name, codeFirst };
    return { kind: state === 'signedUp' ? 'already-signed-up' : state };
  } catch (error) {
    return toFailedOutcome(error);
  }
}

export async function exchangeCode(code: string): Promise<InviteOutcome> {
  try {
    const response = await call(getInviteToken, { body: { code } });
    if (response.Succeeded && response.Data) return { kind: 'token', token: response.Data };
    if (response.ErrorMessage === 'Expired') return { kind: 'expired' };
    return { kind: response.ErrorMessage === 'AlreadySignedUp' ? 'already-signed-up' : 'invalid' };
  } catch (error) {
    return toFailedOutcome(error);
  }
}

/** A truncated or overlong link is invalid; network errors and rate limits are not. */
function toFailedOutcome(error: unknown): { kind: 'invalid' } | Extract<InviteOutcome, { kind: 'failed' }> {
  if (error instanceof CallFailure && error.code === 'request.invalid') return { kind: 'invalid' };
  return { kind: 'failed', ...describeFailure(error) };
}

/** Returns the address of an invite token, for display only: provider and server verify the token. */
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

/** Requests a new link for the invited address (D15). Returns the message of a failure. */
export async function requestRenewal(code: string): Promise<string | null> {
  try {
    await call(requestNewLink, { body: { code } });
    return null;
  } catch (error) {
    return describeFailure(error).message;
  }
}

/** Maximum duration of the report, because the redirect to the start page waits for it. */
const reportTimeoutMilliseconds = 2_000;

/** Reports a cancelled sign-up for the invitation's timeline. Never fails. */
export async function reportCancellation(invitation: { code: string } | { token: string }): Promise<void> {
  try {
    await call(reportInviteCancelled, {
      body: invitation,
      signal: AbortSignal.timeout(reportTimeoutMilliseconds),
    });
  } catch {
    // The user is redirected to the start page even after a failure (D10).
  }
}
