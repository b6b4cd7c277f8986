/** Texts about the states and events of invitations. */
import { activeOrganization, organizationRoleLabel } from '../../lib/active-organization.ts';
import { plural, t } from '@lingui/core/macro';
import type {
  Invitation,
  InvitationEvent,
  InvitationStatus,
  ListedInvitation,
  MailState,
} from '@vestibule/contract/invitations';
import { lifetimeMaximumDays } from '@vestibule/contract/rules/limits';
import { isSmtpReply } from '@vestibule/contract/rules/smtp-reply';
import type { InvitationLanguage } from '@vestibule/contract/invitations/new-invitation';
import { formatMessage } from '../../language/format-message.ts';
import type { BadgeTone } from '../../ui/marks/badge-tone.ts';

type BadgeLook = { label: string; tone: BadgeTone };

export const statuses = (): Record<InvitationStatus, BadgeLook> => ({
  pending: { label: t`Pending`, tone: 'neutral' },
  opened: { label: t`Opened`, tone: 'accent' },
  redeemed: { label: t`Redeemed`, tone: 'success' },
  expired: { label: t`Expired`, tone: 'warning' },
  revoked: { label: t`Revoked`, tone: 'danger' },
  replaced: { label: t`Replaced`, tone: 'neutral' },
});

export const mailStates = (): Record<MailState, BadgeLook> => ({
  none: { label: t`No e-mail`, tone: 'neutral' },
  queued: { label: t`Queued`, tone: 'neutral' },
  sent: { label: t`Sent`, tone: 'success' },
  failed: { label: t`Failed`, tone: 'danger' },
});

/** Returns the member if the invitation was redeemed, otherwise the invitee. */
export const invitedPerson = ({ id, name, email, person }: ListedInvitation) => ({
  id: person?.id ?? id,
  name: person?.displayName ?? name,
  email,
});

export const roles = () => ({ member: t`Member`, admin: t`Administrator` }) as const;

/** Role in the active organization, otherwise on the site; the organization is named on screens of the site. */
export function roleText({
  role,
  organizationRoleId,
  organizationName,
}: Pick<ListedInvitation, 'role' | 'organizationRoleId' | 'organizationName'>): string {
  if (activeOrganization()) return organizationRoleLabel(organizationRoleId);
  return organizationName === null ? roles()[role] : `${roles()[role]} · ${organizationName}`;
}

export const languages = (): Record<InvitationLanguage, string> => ({ en: t`English`, de: t`German` });

/** Form options; the first one means the configured default. */
export const languageOptions = () => [
  { value: '', label: t`Default` },
  ...Object.entries(languages()).map(([value, label]) => ({ value, label })),
];
export const lifetimeOptions = () => [
  { value: '', label: t`Default` },
  ...[1, 3, 7, 14, 30, 60, 90, 180, lifetimeMaximumDays].map((days) => ({
    value: String(days),
    label: countDays(days),
  })),
];
/** Roles that the inviter can give. */
export const roleOptions = () =>
  activeOrganization()
    ?.roles.filter(({ mayGive }) => mayGive)
    .map(({ id, label }) => ({ value: id, label })) ??
  Object.entries(roles()).map(([value, label]) => ({ value, label }));

export const isOpen = ({ status }: Pick<Invitation, 'status'>) => status === 'pending' || status === 'opened';

/** Returns whether the expiry time applies: redeemed and revoked invitations do not expire. */
export const canExpire = ({ status }: Pick<Invitation, 'status'>) =>
  status !== 'redeemed' && status !== 'revoked';

/** Returns the mail error and what to do, or null if there is none. */
export function mailProblem({ mailError, mailAdviceText }: Pick<Invitation, 'mailError' | 'mailAdviceText'>) {
  if (!mailError) return null;
  const serverReply = isSmtpReply(mailError) ? `${t`The mail server said: “${mailError}”.`} ` : '';
  return `${serverReply}${mailAdviceText ? formatMessage(mailAdviceText) : ''}`.trim();
}

const events = (): Record<InvitationEvent['kind'], string> => ({
  created: t`Invited`,
  mailed: t`E-mail sent`,
  mail_failed: t`E-mail not delivered`,
  opened: t`Link opened`,
  token_issued: t`Continued to the sign-up page`,
  cancelled: t`Cancelled the sign-up`,
  refused: t`Sign-up refused`,
  redeemed: t`Signed up`,
  sent_again: t`Resent`,
  reminded: t`Reminded`,
  renewed: t`Renewed`,
  new_link_sent: t`New link requested and e-mailed`,
  address_changed: t`Address changed`,
  link_copied: t`Link copied`,
  revoked: t`Revoked`,
});

/** Describes a timeline event: “Link opened by a mail scanner”. */
export function describeEvent({ kind, agent, by: address, byName }: InvitationEvent): string {
  const event = events()[kind];
  if (agent === 'scanner') return event + t`, probably by a mail scanner`;
  if (agent === 'person') return event + t`, probably by a person`;
  const by = byName ?? address;
  return by ? `${event} ${t`by ${by}`}` : event;
}

/** Returns `successText`, or instructions to copy the link if the site sends no mails. */
export function sentMessage(
  { mailState, email }: Pick<Invitation, 'mailState' | 'email'>,
  successText: string,
): string {
  if (mailState !== 'none') return successText;
  return t`The link for ${email} is ready. This site does not send e-mail: copy the link and pass it on.`;
}

export const countOf = (count: number) => plural(count, { one: '# invitation', other: '# invitations' });
export const countPeople = (count: number) => plural(count, { one: '# person', other: '# people' });
export const countRows = (count: number) => plural(count, { one: '# row', other: '# rows' });
export const countMails = (count: number) => plural(count, { one: '# e-mail', other: '# e-mails' });
export const revokedMessage = (count: number) =>
  plural(count, {
    one: '# invitation revoked. The link no longer works.',
    other: '# invitations revoked. The links no longer work.',
  });
export const undeliveredMessage = (count: number) =>
  plural(count, {
    one: '# e-mail could not be delivered. Show it in the list to see why.',
    other: '# e-mails could not be delivered. Show them in the list to see why.',
  });
export const countAddresses = (count: number) => plural(count, { one: '# address', other: '# addresses' });
export const countDays = (count: number) => plural(count, { one: '# day', other: '# days' });
