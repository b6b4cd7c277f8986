/** Actions on existing invitations. */
import { routeHere } from '../../lib/active-organization.ts';
import { plural, t } from '@lingui/core/macro';
import {
  actOnInvitations,
  getInvitationLink,
  resendInvitation,
  revokeInvitation,
  type Invitation,
  type ListedInvitation,
} from '@vestibule/contract/invitations';
import { invitationSkipReason, type InvitationSkipReason } from '@vestibule/contract/rules/skipped';
import type { RouteRequest } from '@vestibule/contract/route';
import type { BulkChange } from '../../ui/dialog/bulk-action.ts';
import { call } from '../../lib/call.ts';
import type { CountText } from '../../ui/grid/skipped.ts';
import { copyText, runWithErrorToast, toast } from '../../ui/toast/toast.tsx';
import { countOf, revokedMessage } from './invitation-texts.ts';

const invitationParams = ({ id }: Pick<Invitation, 'id'>) => ({ params: { invitationId: id } });

export const sendAgain = (invitation: Invitation): Promise<unknown> =>
  runWithErrorToast(async () => {
    await call(routeHere(resendInvitation), invitationParams(invitation));
    toast.success(t`The invitation for ${invitation.email} has been sent again.`);
  });

export const revoke = (invitation: Invitation): Promise<unknown> =>
  runWithErrorToast(async () => {
    await call(routeHere(revokeInvitation), invitationParams(invitation));
    toast.success(t`The invitation for ${invitation.email} has been revoked. Its link no longer works.`);
  });

/** Copies the link of a pending invitation, or shows it if copying is not allowed. */
export const copyInvitationLink = (invitation: { id: string; email: string }): Promise<unknown> =>
  runWithErrorToast(() =>
    copyText(
      call(routeHere(getInvitationLink), invitationParams(invitation)).then(({ link }) => link),
      t`The link for ${invitation.email} is on your clipboard.`,
      t`The link for ${invitation.email}:`,
    ),
  );

const skipReasonTexts: Record<InvitationSkipReason, CountText> = {
  redeemed: (count) => plural(count, { one: '# is redeemed', other: '# are redeemed' }),
  revoked: (count) => plural(count, { one: '# is revoked', other: '# are revoked' }),
  replaced: (count) => plural(count, { one: '# is replaced', other: '# are replaced' }),
  open: (count) => plural(count, { one: '# is still open', other: '# are still open' }),
  expired: (count) => plural(count, { one: '# has expired', other: '# have expired' }),
  mailQueued: (count) =>
    plural(count, { one: 'the e-mail of # is on its way', other: 'the e-mails of # are on their way' }),
};

const changeTexts = () => [
  {
    action: 'resend' as const,
    label: t`Resend`,
    danger: false,
    consequence: t`Everyone with an open invitation gets the e-mail with their link again.`,
    doneText: (count: number) => t`${countOf(count)} resent.`,
  },
  {
    action: 'renew' as const,
    label: t`Renew`,
    danger: false,
    consequence: t`Everyone with an expired invitation gets a new link by e-mail. The old links stay expired.`,
    doneText: (count: number) => t`${countOf(count)} renewed.`,
  },
  {
    action: 'revoke' as const,
    label: t`Revoke`,
    danger: true,
    consequence: t`The links stop working immediately. The addresses can be invited again later.`,
    doneText: revokedMessage,
  },
];

type Selection = RouteRequest<typeof actOnInvitations>['body']['selection'];

export const bulkChanges = (): readonly BulkChange<ListedInvitation, Selection>[] =>
  changeTexts().map(({ action, doneText, ...texts }) => ({
    ...texts,
    skipReason: (invitation) => {
      const reason = invitationSkipReason(action, invitation);
      return reason && skipReasonTexts[reason];
    },
    act: (selection) => call(routeHere(actOnInvitations), { body: { action, selection } }),
    onChanged: (count) => toast.success(doneText(count)),
  }));
