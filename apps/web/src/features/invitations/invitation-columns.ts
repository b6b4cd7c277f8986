import { activeOrganization } from '../../lib/active-organization.ts';
import { t } from '@lingui/core/macro';
import type { InvitationColumn, ListedInvitation } from '@vestibule/contract/invitations';
import { personOrEmail } from '../../lib/person-or-email.ts';
import { columnsByName, valuesOf } from '../../ui/grid/grid-column.ts';
import {
  invitedPerson,
  canExpire,
  isOpen,
  languages,
  mailStates,
  mailProblem,
  roles,
  roleText,
  statuses,
} from './invitation-texts.ts';

export const invitationGridColumns = () =>
  columnsByName<ListedInvitation, Exclude<InvitationColumn, 'batchId' | 'organizationId'>>({
    email: {
      title: t`E-mail`,
      kind: 'person',
      person: invitedPerson,
      shows: 'name',
      filter: { kind: 'text' },
      flex: 3,
    },
    name: { title: t`Name`, kind: 'text', filter: { kind: 'text', optional: true }, hidden: true },
    status: {
      title: t`Status`,
      kind: 'badge',
      badge: ({ status }) => statuses()[status],
      filter: { kind: 'set', values: valuesOf(statuses()) },
    },
    expiresAt: {
      title: t`Expires`,
      kind: 'date-time',
      time: (invitation) => (canExpire(invitation) ? invitation.expiresAt : null),
      ends: isOpen,
      filter: { kind: 'date', ahead: true },
    },
    mailState: {
      title: t`Delivery`,
      kind: 'badge',
      badge: (invitation) => {
        const hint = mailProblem(invitation);
        return { ...mailStates()[invitation.mailState], ...(hint && { hint }) };
      },
      filter: { kind: 'set', values: valuesOf(mailStates()) },
      minWidth: 160,
      narrowIf: ({ mailState }) => mailState === 'failed',
    },
    role: {
      title: t`Role`,
      kind: 'text',
      text: roleText,
      ...(activeOrganization()
        ? { sortable: false }
        : { filter: { kind: 'set' as const, values: valuesOf(roles()) } }),
    },
    language: {
      title: t`Language`,
      kind: 'text',
      text: ({ language }) => languages()[language],
      filter: { kind: 'set', values: valuesOf(languages()) },
      sortable: false,
      hidden: true,
    },
    createdBy: {
      title: t`Invited by`,
      kind: 'person',
      person: ({ createdBy, inviter }) => personOrEmail(createdBy, inviter),
      filter: { kind: 'text', optional: true },
      minWidth: 220,
      hidden: true,
    },
    createdAt: {
      title: t`Invited`,
      kind: 'date-time',
      filter: { kind: 'date' },
      narrow: 'detail',
      narrowTitle: true,
    },
    mailedAt: { ...momentYetToCome(t`E-mailed`, ({ mailedAt }) => mailedAt), sortable: false },
    openedAt: momentYetToCome(t`Opened`, ({ openedAt }) => openedAt),
    redeemedAt: momentYetToCome(t`Redeemed`, ({ redeemedAt }) => redeemedAt),
  });

/** Returns a time column that shows "Not yet" for null. */
function momentYetToCome(title: string, time: (invitation: ListedInvitation) => string | null) {
  const filter = { kind: 'date', optional: true } as const;
  return { title, kind: 'date-time' as const, time, none: t`Not yet`, filter, hidden: true };
}
