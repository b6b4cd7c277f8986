/** What the states of an invitation are called, and the events of its timeline, wherever they are shown. */
import type {
  Invitation,
  InvitationEvent,
  InvitationLanguage,
  InvitationStatus,
  MailState,
} from '@vestibule/contract/invitations';
import type { BadgeTone } from '../../ui/badge.tsx';

type Look = { label: string; tone: BadgeTone };

export const statuses: Record<InvitationStatus, Look> = {
  pending: { label: 'Pending', tone: 'neutral' },
  opened: { label: 'Opened', tone: 'accent' },
  redeemed: { label: 'Redeemed', tone: 'success' },
  expired: { label: 'Expired', tone: 'warning' },
  revoked: { label: 'Revoked', tone: 'danger' },
};

export const mailStates: Record<MailState, Look> = {
  none: { label: 'No mail', tone: 'neutral' },
  queued: { label: 'Queued', tone: 'neutral' },
  sent: { label: 'Sent', tone: 'success' },
  failed: { label: 'Failed', tone: 'danger' },
};

export const roles = { member: 'Member', admin: 'Administrator' } as const;

export const languages: Record<InvitationLanguage, string> = { en: 'English', de: 'German' };

/** The choices of a form, first the one that leaves it to the settings. */
export const languageOptions = [
  { value: '', label: 'As in the settings' },
  ...Object.entries(languages).map(([value, label]) => ({ value, label })),
];
export const lifetimeOptions = [
  { value: '', label: 'As in the settings' },
  ...[1, 3, 7, 14, 30, 60, 90].map((days) => ({
    value: String(days),
    label: days === 1 ? '1 day' : `${days} days`,
  })),
];
export const roleOptions = Object.entries(roles).map(([value, label]) => ({ value, label }));

export const isOpen = ({ status }: Pick<Invitation, 'status'>) => status === 'pending' || status === 'opened';

/** Why the mail of an invitation is not there, and what to do; null when nothing is wrong with it. */
export function mailTrouble({ mailError, mailAdvice }: Pick<Invitation, 'mailError' | 'mailAdvice'>) {
  if (!mailError) return null;
  return `The mail server said: “${mailError}”.${mailAdvice ? ` ${mailAdvice}` : ''}`;
}

const events: Record<InvitationEvent['kind'], string> = {
  created: 'Invited',
  mailed: 'Mail sent',
  mail_failed: 'Mail not delivered',
  opened: 'Link opened',
  token_issued: 'Went on to the sign-up page',
  cancelled: 'Cancelled the sign-up',
  refused: 'Sign-up refused',
  redeemed: 'Signed up',
  sent_again: 'Sent again',
  reminded: 'Reminded',
  renewed: 'Renewed',
  new_link_sent: 'Asked for a new link; it was mailed',
  address_changed: 'Address changed',
  link_copied: 'Link copied',
  revoked: 'Revoked',
};

/** An event in a few words: “Link opened by a mail scanner”. */
export function describeEvent({ kind, agent, by }: InvitationEvent): string {
  const who =
    agent === 'scanner'
      ? ', it seems by a mail scanner'
      : agent === 'person'
        ? ', it seems by a person'
        : by
          ? ` by ${by}`
          : '';
  return events[kind] + who;
}

/** What is told after an invitation was made, renewed or sent: `told` where mails are sent, else what to do instead. */
export function afterSending(
  { mailState, email }: Pick<Invitation, 'mailState' | 'email'>,
  told: string,
): string {
  if (mailState !== 'none') return told;
  return `The link for ${email} is ready. This site sends no mails: copy the link and hand it over.`;
}

/** “1 invitation”, “1,234 invitations”. */
export function countOf(count: number, one = 'invitation', other = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : other}`;
}
