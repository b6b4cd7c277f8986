/** Answers "why did it not work, and what can I do?" about one invitation, from its state and its timeline. */
import type { InvitationEvent } from '@vestibule/contract/invitations';
import { adviseOnMail } from '../../mail/mail-advice.ts';
import { signedInAfter } from './invitation-events.ts';
import { shownStatus, type InvitationRow } from '../invitation-store.ts';

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const dateOf = (moment: Date | string) => dateFormat.format(new Date(moment));

const refusals: Record<string, string> = {
  'another e-mail':
    'Somebody followed the link and signed in with another e-mail address than the invited one. Ask them to sign in with the invited address, or change the address of this invitation.',
  'unverified e-mail':
    'Somebody signed up, but the sign-in service gave no verified e-mail address, so the invitation could not be matched. Ask support to check the provider in the settings.',
  'unproven administrator':
    'The invited person signed in, but the sign-in service said neither that they came with this invitation nor that their address is verified, which an administrator needs. Ask them to open the link and sign up with it; somebody who has an account already is invited as a member and made an administrator after that.',
};

const newLinks = new Set<InvitationEvent['kind']>(['renewed', 'new_link_sent', 'address_changed']);

export function explainInvitation(
  invitation: InvitationRow,
  timeline: InvitationEvent[],
  now: number,
): string {
  const last = (kind: InvitationEvent['kind']) => timeline.findLast((event) => event.kind === kind);
  const until = dateOf(invitation.expires_at);

  switch (shownStatus(invitation, now)) {
    case 'redeemed':
      return `It worked: the invited person signed up on ${dateOf(invitation.redeemed_at ?? invitation.created_at)}.`;
    case 'revoked': {
      const by = last('revoked')?.by;
      const on = dateOf(invitation.revoked_at ?? invitation.expires_at);
      const late = whoCameTooLate(signedInAfter.revoked, invitation.created_at);
      return by
        ? `It was revoked on ${on} by ${by}, so the link no longer works. ${late}Invite the address again if that was a mistake.`
        : `It was revoked on ${on}, so the link no longer works. ${late}Invite the address again if that was a mistake.`;
    }
    case 'expired':
      return `It expired on ${until}. ${whatHadHappened()} Renew it: that mails a new link.`;
    case 'replaced':
      return 'A later invitation to this address took its place, so it has ended for good: its link no longer works, and it cannot be renewed. Look at the later one; if that has ended too, invite the address again.';
    case 'pending':
    case 'opened':
      return whatIsHappening();
  }

  /** Ends with a space; empty when nobody signed in with the invited address after that. */
  function whoCameTooLate(refusal: string, since: Date): string {
    const late = timeline.findLast(
      ({ kind, note, lastAt }) => kind === 'refused' && note === refusal && lastAt >= since.toISOString(),
    );
    return late
      ? `The invited person signed in after that, last on ${dateOf(late.lastAt)}, and was refused. `
      : '';
  }

  function whatHadHappened(): string {
    const cameTooLate = whoCameTooLate(signedInAfter.expired, invitation.expires_at);
    if (cameTooLate) return cameTooLate.trim();
    const late = timeline.findLast(({ kind, note }) => kind === 'refused' && note === 'expired');
    if (late) return `Somebody tried the link after that, on ${dateOf(late.lastAt)}.`;
    if (invitation.mail_state === 'failed')
      return 'The mail had never arrived; check the address before you renew it.';
    if (last('cancelled')) return 'The person had opened the link and cancelled at the sign-in service.';
    if (last('token_issued')) return 'The person had opened the link and not finished signing up.';
    if (invitation.opened_at) return 'The link had been opened, but nobody signed up.';
    return 'As far as we can see nobody had opened the link.';
  }

  function whatIsHappening(): string {
    // What happened to an earlier link says nothing about this one, and what happened last counts.
    const since = timeline.findLast(({ kind }) => newLinks.has(kind))?.at ?? '';
    const latest = timeline
      .filter(({ kind, note }) => kind === 'cancelled' || kind === 'token_issued' || (note ?? '') in refusals)
      .filter(({ lastAt }) => lastAt >= since)
      .toSorted((one, other) => one.lastAt.localeCompare(other.lastAt))
      .at(-1);
    if (latest?.kind === 'refused') return refusals[latest.note ?? ''] as string;
    if (latest?.kind === 'cancelled')
      return `The person opened the link and cancelled at the sign-in service on ${dateOf(latest.lastAt)}. The link still works until ${until}: ask them to try again.`;
    if (latest?.kind === 'token_issued')
      return `The person opened the link and has not finished signing up. The link still works until ${until}: ask them to open it again.`;
    const mail = aboutTheMail();
    if (mail !== null) return mail;
    if (invitation.opened_at)
      return `The link was opened on ${dateOf(invitation.opened_at)}, but nobody has started to sign up. It still works until ${until}: ask the person to open it again.`;
    const scanned = timeline.some(({ kind, agent }) => kind === 'opened' && agent === 'scanner');
    if (invitation.mail_state === 'none')
      return `No mail was sent. Copy the link and hand it over, or send the invitation again. It works until ${until}.`;
    if (scanned)
      return `The mail has arrived: a mail scanner has looked at the link, but no person has opened it yet. Ask them to look for it, also among unwanted mail. The link works until ${until}.`;
    return invitation.mailed_at
      ? `The mail was handed over on ${dateOf(invitation.mailed_at)}, and nobody has opened the link yet. Ask the person to look among unwanted mail, send it again, or copy the link. It works until ${until}.`
      : `The mail was handed over, and nobody has opened the link yet. Ask the person to look among unwanted mail, send it again, or copy the link. It works until ${until}.`;
  }

  function aboutTheMail(): string | null {
    const { mail_state: state, mail_error: error } = invitation;
    const reached = invitation.opened_at !== null;
    if (state === 'failed' && !reached)
      return `The mail did not arrive. ${adviseOnMail(error ?? '')} The link still works until ${until}, so you can also copy it and hand it over.`;
    if (state === 'queued' && !reached)
      return error === null
        ? 'The mail is waiting to be sent and leaves within a minute.'
        : `The mail has not left yet. ${adviseOnMail(error)}`;
    return null;
  }
}
