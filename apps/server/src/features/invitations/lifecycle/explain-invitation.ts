/** Explains why an invitation did not work, and what to do, from its status and timeline. */
import type { InvitationEvent } from '@vestibule/contract/invitations';
import { explanations as why, refusals } from '@vestibule/contract/invitations/texts';
import { createMessage, type Message, type MessageDefinition } from '@vestibule/contract/texts/text';
import { adviseOnMail } from '../../mail/mail-advice.ts';
import { signedInAfter } from './invitation-events.ts';
import { shownStatus, type InvitationRow } from '../invitation-store.ts';

/** Explanations by the refusal note of the timeline. */
const refused = new Map<string | null, MessageDefinition>([
  [refusals.anotherEmail.message, why.anotherEmail],
  [refusals.unverifiedEmail.message, why.unverifiedEmail],
  [refusals.unprovenAdministrator.message, why.unprovenAdministrator],
]);

const newLinks = new Set<InvitationEvent['kind']>(['renewed', 'new_link_sent', 'address_changed']);

export function explainInvitation(
  invitation: InvitationRow,
  timeline: InvitationEvent[],
  now: number,
): Message[] {
  const last = (kind: InvitationEvent['kind']) => timeline.findLast((event) => event.kind === kind);
  const until = invitation.expires_at.toISOString();

  switch (shownStatus(invitation, now)) {
    case 'redeemed':
      return [
        createMessage(why.redeemed, { day: (invitation.redeemed_at ?? invitation.created_at).toISOString() }),
      ];
    case 'revoked': {
      const by = last('revoked')?.by;
      const day = (invitation.revoked_at ?? invitation.expires_at).toISOString();
      return [
        by ? createMessage(why.revokedBy, { day, by }) : createMessage(why.revoked, { day }),
        ...whoCameTooLate(signedInAfter.revoked, invitation.created_at),
        createMessage(why.inviteAgain),
      ];
    }
    case 'expired':
      return [createMessage(why.expired, { day: until }), ...whatHadHappened(), createMessage(why.renew)];
    case 'replaced':
      return [createMessage(why.replaced)];
    case 'pending':
    case 'opened':
      return whatIsHappening();
  }

  /** Returns an empty list if the invitee has not signed in since then. */
  function whoCameTooLate(refusal: string, since: Date): Message[] {
    const late = timeline.findLast(
      ({ kind, note, lastAt }) => kind === 'refused' && note === refusal && lastAt >= since.toISOString(),
    );
    return late ? [createMessage(why.cameTooLate, { day: late.lastAt })] : [];
  }

  function whatHadHappened(): Message[] {
    const cameTooLate = whoCameTooLate(signedInAfter.expired, invitation.expires_at);
    if (cameTooLate.length > 0) return cameTooLate;
    const late = timeline.findLast(
      ({ kind, note }) => kind === 'refused' && note === refusals.expired.message,
    );
    if (late) return [createMessage(why.triedTooLate, { day: late.lastAt })];
    if (invitation.mail_state === 'failed') return [createMessage(why.mailHadFailed)];
    if (last('cancelled')) return [createMessage(why.hadCancelled)];
    if (last('token_issued')) return [createMessage(why.hadBegun)];
    return [createMessage(invitation.opened_at ? why.hadOpened : why.neverOpened)];
  }

  function whatIsHappening(): Message[] {
    // Events of an earlier link do not count. The latest event decides.
    const since = timeline.findLast(({ kind }) => newLinks.has(kind))?.at ?? '';
    const latest = timeline
      .filter(({ kind, note }) => kind === 'cancelled' || kind === 'token_issued' || refused.has(note))
      .filter(({ lastAt }) => lastAt >= since)
      .toSorted((one, other) => one.lastAt.localeCompare(other.lastAt))
      .at(-1);
    const refusal = latest?.kind === 'refused' ? refused.get(latest.note) : undefined;
    if (refusal) return [createMessage(refusal)];
    if (latest?.kind === 'cancelled') return [createMessage(why.cancelled, { day: latest.lastAt, until })];
    if (latest?.kind === 'token_issued') return [createMessage(why.begun, { until })];
    return aboutTheMail() ?? [whoHasOpened()];
  }

  function whoHasOpened(): Message {
    const { opened_at: openedAt, mail_state: mailState, mailed_at: mailedAt } = invitation;
    if (openedAt) return createMessage(why.opened, { day: openedAt.toISOString(), until });
    if (mailState === 'none') return createMessage(why.noMail, { until });
    if (timeline.some(({ kind, agent }) => kind === 'opened' && agent === 'scanner'))
      return createMessage(why.scanned, { until });
    return mailedAt
      ? createMessage(why.mailedOn, { day: mailedAt.toISOString(), until })
      : createMessage(why.mailed, { until });
  }

  function aboutTheMail(): Message[] | null {
    const { mail_state: state, mail_error: error } = invitation;
    if (invitation.opened_at !== null) return null;
    if (state === 'failed')
      return [
        createMessage(why.mailFailed),
        adviseOnMail(error ?? ''),
        createMessage(why.handOver, { until }),
      ];
    if (state === 'queued')
      return error === null
        ? [createMessage(why.mailQueued)]
        : [createMessage(why.mailDelayed), adviseOnMail(error)];
    return null;
  }
}
