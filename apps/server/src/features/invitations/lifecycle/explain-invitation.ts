/** Answers "why did it not work, and what can I do?" about one invitation, from its state and its timeline. */
import type { InvitationEvent } from '@vestibule/contract/invitations';
import { explanations as why, refusals } from '@vestibule/contract/invitations/texts';
import { say, type Text, type TextDefinition } from '@vestibule/contract/texts/text';
import { adviseOnMail } from '../../mail/mail-advice.ts';
import { signedInAfter } from './invitation-events.ts';
import { shownStatus, type InvitationRow } from '../invitation-store.ts';

/** By what the timeline notes, why whoever came with the invitation was refused. */
const refused = new Map<string | null, TextDefinition>([
  [refusals.anotherEmail.message, why.anotherEmail],
  [refusals.unverifiedEmail.message, why.unverifiedEmail],
  [refusals.unprovenAdministrator.message, why.unprovenAdministrator],
]);

const newLinks = new Set<InvitationEvent['kind']>(['renewed', 'new_link_sent', 'address_changed']);

/** Sentence by sentence. */
export function explainInvitation(
  invitation: InvitationRow,
  timeline: InvitationEvent[],
  now: number,
): Text[] {
  const last = (kind: InvitationEvent['kind']) => timeline.findLast((event) => event.kind === kind);
  const until = invitation.expires_at.toISOString();

  switch (shownStatus(invitation, now)) {
    case 'redeemed':
      return [say(why.redeemed, { day: (invitation.redeemed_at ?? invitation.created_at).toISOString() })];
    case 'revoked': {
      const by = last('revoked')?.by;
      const day = (invitation.revoked_at ?? invitation.expires_at).toISOString();
      return [
        by ? say(why.revokedBy, { day, by }) : say(why.revoked, { day }),
        ...whoCameTooLate(signedInAfter.revoked, invitation.created_at),
        say(why.inviteAgain),
      ];
    }
    case 'expired':
      return [say(why.expired, { day: until }), ...whatHadHappened(), say(why.renew)];
    case 'replaced':
      return [say(why.replaced)];
    case 'pending':
    case 'opened':
      return whatIsHappening();
  }

  /** Empty when nobody signed in with the invited address after that. */
  function whoCameTooLate(refusal: string, since: Date): Text[] {
    const late = timeline.findLast(
      ({ kind, note, lastAt }) => kind === 'refused' && note === refusal && lastAt >= since.toISOString(),
    );
    return late ? [say(why.cameTooLate, { day: late.lastAt })] : [];
  }

  function whatHadHappened(): Text[] {
    const cameTooLate = whoCameTooLate(signedInAfter.expired, invitation.expires_at);
    if (cameTooLate.length > 0) return cameTooLate;
    const late = timeline.findLast(
      ({ kind, note }) => kind === 'refused' && note === refusals.expired.message,
    );
    if (late) return [say(why.triedTooLate, { day: late.lastAt })];
    if (invitation.mail_state === 'failed') return [say(why.mailHadFailed)];
    if (last('cancelled')) return [say(why.hadCancelled)];
    if (last('token_issued')) return [say(why.hadBegun)];
    return [say(invitation.opened_at ? why.hadOpened : why.neverOpened)];
  }

  function whatIsHappening(): Text[] {
    // What happened to an earlier link says nothing about this one, and what happened last counts.
    const since = timeline.findLast(({ kind }) => newLinks.has(kind))?.at ?? '';
    const latest = timeline
      .filter(({ kind, note }) => kind === 'cancelled' || kind === 'token_issued' || refused.has(note))
      .filter(({ lastAt }) => lastAt >= since)
      .toSorted((one, other) => one.lastAt.localeCompare(other.lastAt))
      .at(-1);
    const refusal = latest?.kind === 'refused' ? refused.get(latest.note) : undefined;
    if (refusal) return [say(refusal)];
    if (latest?.kind === 'cancelled') return [say(why.cancelled, { day: latest.lastAt, until })];
    if (latest?.kind === 'token_issued') return [say(why.begun, { until })];
    return aboutTheMail() ?? [whoHasOpened()];
  }

  function whoHasOpened(): Text {
    const { opened_at: openedAt, mail_state: mailState, mailed_at: mailedAt } = invitation;
    if (openedAt) return say(why.opened, { day: openedAt.toISOString(), until });
    if (mailState === 'none') return say(why.noMail, { until });
    if (timeline.some(({ kind, agent }) => kind === 'opened' && agent === 'scanner'))
      return say(why.scanned, { until });
    return mailedAt ? say(why.mailedOn, { day: mailedAt.toISOString(), until }) : say(why.mailed, { until });
  }

  function aboutTheMail(): Text[] | null {
    const { mail_state: state, mail_error: error } = invitation;
    if (invitation.opened_at !== null) return null;
    if (state === 'failed')
      return [say(why.mailFailed), adviseOnMail(error ?? ''), say(why.handOver, { until })];
    if (state === 'queued')
      return error === null ? [say(why.mailQueued)] : [say(why.mailDelayed), adviseOnMail(error)];
    return null;
  }
}
