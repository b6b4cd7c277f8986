/** Command palette search for invitations. */
import { t } from '@lingui/core/macro';
import { IconMail } from '@tabler/icons-react';
import { listInvitations, type Invitation, type InvitationStatus } from '@vestibule/contract/invitations';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import type { Finder, FinderContext, Verb } from '../../lib/finder.ts';
import { AskedDialog, type Asked } from './invitation-dialogs.tsx';
import { invitationMenu } from './invitation-menu.ts';
import { statuses } from './invitation-texts.ts';

const fetchPage = fetchPageFrom(listInvitations);

const invitationsScreen = '/layout/invitations';

export default function invitationsFinder({ show, announceChange, go }: FinderContext): Finder {
  const onChanged = () => announceChange('invitations');
  const ask = (asked: Asked) =>
    show((onClose) => (
      <AskedDialog
        asked={asked}
        onAsk={(next) => (next ? ask(next) : onClose())}
        onChanged={onChanged}
        onShowBatch={(batch) => go({ to: invitationsScreen, search: { batch } })}
      />
    ));
  const menuOf = (invitation: Invitation) =>
    invitationMenu(invitation, {
      onAsk: ask,
      onChanged,
      onInvite: () => go({ to: invitationsScreen, search: { invite: true } }),
    });
  return {
    title: t`Invitations`,
    icon: IconMail,
    order: 2,
    // The menu depends on the status only.
    verbs: verbsOf((status) => menuOf({ status } as Invitation).map(({ label }) => label)),
    async search(question, signal) {
      const { rows } = await fetchPage({ offset: 0, limit: 5, ...question }, signal);
      return rows.map((invitation) => ({
        id: `invitation-${invitation.id}`,
        label: invitation.email,
        detail: invitation.name || undefined,
        target: { to: invitationsScreen, search: { show: invitation.id } },
        actions: menuOf(invitation),
      }));
    },
  };
}

/** Returns the actions with the statuses for which they are available. */
function verbsOf(labelsFor: (status: InvitationStatus) => string[]): Verb[] {
  const byLabel = new Map<string, string[]>();
  for (const status of Object.keys(statuses()) as InvitationStatus[])
    for (const label of labelsFor(status)) byLabel.set(label, [...(byLabel.get(label) ?? []), status]);
  return [...byLabel].map(([label, values]) => ({
    label,
    filters: [{ column: 'status', is: 'oneOf', values }],
  }));
}
