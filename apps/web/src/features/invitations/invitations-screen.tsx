/** `/layout/invitations`: list of invitations, for administrators. */
import { t } from '@lingui/core/macro';
import { IconMail } from '@tabler/icons-react';
import {
  countInvitations,
  exportInvitations,
  listInvitations,
  type Invitation,
  type InvitationGroup,
} from '@vestibule/contract/invitations';
import { lazy, useMemo, useState } from 'react';
import { useInvitationDialogs, type InvitationDialogs } from './invitation-dialogs.tsx';
import { bulkChanges, copyInvitationLink, sendAgain } from './invitation-changes.ts';
import { countOf, invitedPerson, sentMessage, isOpen } from './invitation-texts.ts';
import { useInvitationSettings } from './invitation-settings.ts';
import type { InvitationsAddress } from './invitations-address.ts';
import { invitationGridColumns } from './invitation-columns.ts';
import { readInviteDraft, addToDraft } from './create/invite-draft.ts';
import { activeOrganization, routeHere } from '../../lib/active-organization.ts';
import { fetchCountsFrom, fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { useListAddress } from '../../lib/lists/list-address.ts';
import { Button } from '../../ui/button.tsx';
import { bulkAction } from '../../ui/dialog/bulk-action-dialog.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { GridHandle } from '../../ui/grid/grid-props.ts';
import { DataGrid } from '../../ui/grid/grid.tsx';
import { LazyPart } from '../../ui/shell/lazy-part.tsx';
import { Page } from '../../ui/shell/page.tsx';
import type { PanelAction } from '../../ui/grid/side-panel.tsx';
import { toast } from '../../ui/toast/toast.tsx';

const InvitationPanel = lazy(() => import('./invitation-panel.tsx'));
const loadInviteDialog = () => import('./create/invite-dialog.tsx');
const InviteDialog = lazy(loadInviteDialog);
// Loads the dialog in parallel with the grid. The lazy component reports a failure.
if (window.location.search.includes('invite=true')) loadInviteDialog().catch(() => {});

/** Invitations to the site, or to the active organization; those of one batch, if it is given. */
const sourceOf = (batch: string | undefined) => ({
  name: 'invitations',
  fetchPage: fetchPageFrom(routeHere(listInvitations)),
  exportPath: routeHere(exportInvitations).path,
  changesOf: 'invitations',
  countTabs: fetchCountsFrom(routeHere(countInvitations)),
  ...(batch !== undefined && { within: [{ column: 'batchId', is: 'oneOf' as const, values: [batch] }] }),
});

const tabs = (): Record<InvitationGroup, string> => ({
  waiting: t({ message: 'Waiting', context: 'several invitations' }),
  expiring: t`Expiring soon`,
  failed: t`Not delivered`,
  expired: t`Expired`,
  joined: t({ message: 'Joined', context: 'several invitations' }),
});

export function InvitationsScreen({ mayInvite = true }: { mayInvite?: boolean }) {
  const address = useListAddress<InvitationsAddress>();
  const canInvite = mayInvite && activeOrganization()?.isSuspended !== true;
  const [isInviting, setIsInviting] = useState(() => canInvite && (readInviteDraft()?.open ?? false));
  const [grid, setGrid] = useState<GridHandle | null>(null);
  const { show: shown, batch, invite } = address.current;
  const shownColumns = useMemo(() => invitationGridColumns(), []);
  const source = useMemo(() => sourceOf(batch), [batch]);

  const mailsAreOff = useInvitationSettings()?.mail === 'off';

  const refresh = () => grid?.refresh();
  const dialogs = useInvitationDialogs(refresh, (batchId) => address.open({ batch: batchId }));
  const openInviteDialog = () => setIsInviting(true);
  const closeInviteDialog = () => {
    setIsInviting(false);
    if (invite) address.change({ invite: undefined });
  };
  const actionsOf = (invitation: Invitation) =>
    mayInvite ? invitationMenu(invitation, { dialogs, onChanged: refresh, onInvite: openInviteDialog }) : [];
  /** Opening adds a history entry; switching rows and closing replace it. */
  const show = (id?: string) => address.change({ show: id }, shown !== undefined);
  const closePanel = () => show();

  return (
    <Page
      title={t`Invitations`}
      fill
      description={
        (batch || mailsAreOff) && (
          <>
            {mailsAreOff &&
              `${t`This site does not send e-mail. Copy each link, or show its QR code, and pass it on.`} `}
            {batch && (
              <>
                {t`Showing one import only.`}{' '}
                <Button size="small" onClick={() => address.open({})}>
                  {t`Show all`}
                </Button>
              </>
            )}
          </>
        )
      }
      actions={
        <>
          <Button onClick={dialogs.openBatches}>{t`Past imports`}</Button>
          {canInvite && <Button variant="primary" onClick={openInviteDialog}>{t`Invite someone`}</Button>}
        </>
      }
    >
      <DataGrid
        key={batch ?? ''}
        ref={setGrid}
        label={t`Invitations`}
        countOf={countOf}
        columns={shownColumns}
        source={source}
        tabs={batch ? {} : tabs()}
        address={address}
        onRowOpen={({ id }) => show(id)}
        detailPanel={
          shown !== undefined && {
            id: shown,
            onClose: closePanel,
            panel: <InvitationPanel id={shown} actions={actionsOf} onShow={show} onClose={closePanel} />,
          }
        }
        rowActions={(invitation) => [
          { label: t`Details`, onSelect: () => show(invitation.id) },
          ...actionsOf(invitation),
        ]}
        bulkActions={
          mayInvite
            ? bulkChanges().map((change) =>
                bulkAction(change, {
                  open: dialogs.open,
                  onDone: refresh,
                  names: { personOf: invitedPerson, countOf },
                }),
              )
            : []
        }
        emptyState={<NoInvitations onInvite={canInvite && openInviteDialog} />}
      />
      <LazyPart onClose={closeInviteDialog}>
        {(isInviting || invite) && (
          <InviteDialog
            onClose={closeInviteDialog}
            onInvited={(invitation) => {
              showInvitedToast(invitation);
              refresh();
            }}
            onAccepted={({ id, counts }) => {
              dialogs.openBatch(id, counts.created + counts.sentAgain);
              refresh();
            }}
          />
        )}
      </LazyPart>
      {dialogs.dialog}
    </Page>
  );
}

function NoInvitations({ onInvite }: { onInvite: false | (() => void) }) {
  return (
    <EmptyState
      icon={<IconMail size={32} stroke={1.5} />}
      title={t`No invitations yet`}
      action={onInvite && <Button onClick={onInvite}>{t`Invite someone`}</Button>}
    >
      {onInvite
        ? t`People can join only by invitation. Invite the first one.`
        : t`People can join only by invitation.`}
    </EmptyState>
  );
}

/** Returns the menu items. Items with `main` are shown as buttons if there is space. */
function invitationMenu(
  invitation: Invitation,
  {
    dialogs,
    onChanged,
    onInvite,
  }: {
    dialogs: InvitationDialogs;
    onChanged: () => void;
    /** Opens the invite dialog with the draft. */
    onInvite: () => void;
  },
): PanelAction[] {
  const { renew, changeAddress, showQrCode, revoke } = dialogs;
  const revokeAction = { label: t`Revoke`, danger: true, main: true, onSelect: () => revoke(invitation) };
  if (invitation.status === 'revoked')
    return [
      {
        label: t`Invite again`,
        main: true,
        onSelect: () => {
          if (!addToDraft(invitation))
            toast.failure(
              t`A list of invitations is still being sent. Invite ${invitation.email} again after that.`,
            );
          onInvite();
        },
      },
    ];
  if (invitation.status === 'expired')
    return [{ label: t`Renew`, main: true, onSelect: () => renew(invitation) }, revokeAction];
  if (!isOpen(invitation)) return [];
  return [
    { label: t`Resend`, main: true, onSelect: () => sendAgain(invitation).then(onChanged) },
    { label: t`Copy link`, main: true, onSelect: () => copyInvitationLink(invitation) },
    { label: t`QR code`, onSelect: () => showQrCode(invitation) },
    { label: t`Change address`, onSelect: () => changeAddress(invitation) },
    revokeAction,
  ];
}

function showInvitedToast(invitation: Invitation): void {
  toast.success(sentMessage(invitation, t`The invitation for ${invitation.email} is on its way.`), {
    action: { label: t`Copy link`, onClick: () => copyInvitationLink(invitation) },
  });
}
