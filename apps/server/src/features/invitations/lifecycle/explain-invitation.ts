/** Explains why an invitation did not work, and what to do, from its status and timeline. */
import type { InvitationEvent } from '@vestibule/contract/invitations';
import { explanations, refusals } from '@vestibule/contract/invitations/texts';
import { createMessage, type Message, type MessageDefinition } from '@vestibule/contract/texts/text';
import { adviseOnMail } from '../../mail/mail-advice.ts';
import { lateSignInReasons } from './invitation-events.ts';
import { shownStatus, type InvitationRow } from '../invitation-store.ts';

/** Explanations, keyed by the note of the refusal in the timeline. */
const refusalExplanations = new Map<string | null, MessageDefinition>([
  [refusals.anotherEmail.message, explanations.anotherEmail],
  [refusals.unverifiedEmail.message, explanations.unverifiedEmail],
  [refusals.unprovenAdministrator.message, explanations.unprovenAdministrator],
]);

const newLinkEvents = new Set<InvitationEvent['kind']>(['renewed', 'new_link_sent', 'address_changed']);

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
        createMessage(explanations.redeemed, {
          day: (invitation.redeemed_at ?? invitation.created_at).toISOString(),
        }),
      ];
    case 'revoked': {
      const revokedBy = last('revoked')?.by;
      const day = (invitation.revoked_at ?? invitation.expires_at).toISOString();
      return [
        revokedBy
          ? createMessage(explanations.revokedBy, { day, by: revokedBy })
          : createMessage(explanations.revoked, { day }),
        ...explainLateSignIn(lateSignInReasons.revoked, invitation.created_at),
        createMessage(explanations.inviteAgain),
      ];
    }
    case 'expired':
      return [
        createMessage(explanations.expired, { day: until }),
        ...explainExpired(),
        createMessage(explanations.renew),
      ];
    case 'replaced':
      return [createMessage(explanations.replaced)];
    case 'pending':
    case 'opened':
      return explainOpen();
  }

  /** Returns an empty list if no sign-in of the invitee was refused for this reason after `since`. */
  function explainLateSignIn(refusal: string, since: Date): Message[] {
    const lastRefusal = timeline.findLast(
      ({ kind, note, lastAt }) => kind === 'refused' && note === refusal && lastAt >= since.toISOString(),
    );
    return lastRefusal ? [createMessage(explanations.cameTooLate, { day: lastRefusal.lastAt })] : [];
  }

  function explainExpired(): Message[] {
    const lateSignIn = explainLateSignIn(lateSignInReasons.expired, invitation.expires_at);
    if (lateSignIn.length > 0) return lateSignIn;
    const lastRefusal = timeline.findLast(
      ({ kind, note }) => kind === 'refused' && note === refusals.expired.message,
    );
    if (lastRefusal) return [createMessage(explanations.triedTooLate, { day: lastRefusal.lastAt })];
    if (invitation.mail_state === 'failed') return [createMessage(explanations.mailHadFailed)];
    if (last('cancelled')) return [createMessage(explanations.hadCancelled)];
    if (last('token_issued')) return [createMessage(explanations.hadBegun)];
    return [createMessage(invitation.opened_at ? explanations.hadOpened : explanations.neverOpened)];
  }

  function explainOpen(): Message[] {
    // Events of an earlier link do not count. The latest event decides.
    const since = timeline.findLast(({ kind }) => newLinkEvents.has(kind))?.at ?? '';
    const latest = timeline
      .filter(
        ({ kind, note }) => kind === 'cancelled' || kind === 'token_issued' || refusalExplanations.has(note),
      )
      .filter(({ lastAt }) => lastAt >= since)
      .toSorted((one, other) => one.lastAt.localeCompare(other.lastAt))
      .at(-1);
    const refusal = latest?.kind === 'refused' ? refusalExplanations.get(latest.note) : undefined;
    if (refusal) return [createMessage(refusal)];
    if (latest?.kind === 'cancelled')
      return [createMessage(explanations.cancelled, { day: latest.lastAt, until })];
    if (latest?.kind === 'token_issued') return [createMessage(explanations.begun, { until })];
    return explainMail() ?? [explainOpening()];
  }

  function explainOpening(): Message {
    const { opened_at: openedAt, mail_state: mailState, mailed_at: mailedAt } = invitation;
    if (openedAt) return createMessage(explanations.opened, { day: openedAt.toISOString(), until });
    if (mailState === 'none') return createMessage(explanations.noMail, { until });
    if (timeline.some(({ kind, agent }) => kind === 'opened' && agent === 'scanner'))
      return createMessage(explanations.scanned, { until });
    return mailedAt
      ? createMessage(explanations.mailedOn, { day: mailedAt.toISOString(), until })
      : createMessage(explanations.mailed, { until });
  }

  function explainMail(): Message[] | null {
    const { mail_state: state, mail_error: error } = invitation;
    if (invitation.opened_at !== null) return null;
    if (state === 'failed')
      return [
        createMessage(explanations.mailFailed),
        adviseOnMail(error ?? ''),
        createMessage(explanations.handOver, { until }),
      ];
    if (state === 'queued')
      return error === null
        ? [createMessage(explanations.mailQueued)]
        : [createMessage(explanations.mailDelayed), adviseOnMail(error)];
    return null;
  }
}
