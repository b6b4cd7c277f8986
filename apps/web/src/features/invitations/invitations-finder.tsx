/** Command palette search for invitations. */
import { t } from '@lingui/core/macro';
import { IconMail } from '@tabler/icons-react';
import { listInvitations, type Invitation, type InvitationStatus } from '@vestibule/contract/invitations';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import type { Finder, FinderContext, Verb } from '../../lib/finder.ts';
import { InvitationDialogs, type OpenInvitationDialog } from './invitation-dialogs.tsx';
import { invitationMenu } from './invitation-menu.ts';
import { statuses } from './invitation-texts.ts';

const fetchPage = fetchPageFrom(listInvitations);

const invitationsScreen = '/layout/invitations';

export default function invitationsFinder({ show, announceChange, go }: FinderContext): Finder {
  const onChanged = () => announceChange('invitations');
  const openDialog = (dialog: OpenInvitationDialog) =>
    show((onClose) => (
      <InvitationDialogs
        dialog={dialog}
        onOpenDialog={(next) => (next ? openDialog(next) : onClose())}
        onChanged={onChanged}
        onShowBatch={(batch) => go({ to: invitationsScreen, search: { batch } })}
      />
    ));
  const actionsOf = (invitation: Invitation) =>
    invitationMenu(invitation, {
      onOpenDialog: openDialog,
      onChanged,
      onInvite: () => go({ to: invitationsScreen, search: { invite: true } }),
    });
  return {
    title: t`Invitations`,
    icon: IconMail,
    order: 2,
    // The menu depends on the status only.
    verbs: verbsOf((status) => actionsOf({ status } as Invitation).map(({ label }) => label)),
    async search(query, signal) {
      const { rows } = await fetchPage({ offset: 0, limit: 5, ...query }, signal);
      return rows.map((invitation) => ({
        id: `invitation-${invitation.id}`,
        label: invitation.email,
        detail: invitation.name || undefined,
        target: { to: invitationsScreen, search: { show: invitation.id } },
        actions: actionsOf(invitation),
      }));
    },
  };
}

/** Returns the actions with the statuses for which they are available. */
function verbsOf(actionLabels: (status: InvitationStatus) => string[]): Verb[] {
  const statusesByLabel = new Map<string, string[]>();
  for (const status of Object.keys(statuses()) as InvitationStatus[])
    for (const label of actionLabels(status))
      statusesByLabel.set(label, [...(statusesByLabel.get(label) ?? []), status]);
  return [...statusesByLabel].map(([label, values]) => ({
    label,
    filters: [{ column: 'status', is: 'oneOf', values }],
  }));
}
