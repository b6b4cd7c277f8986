/** `/layout/invitations`: list of invitations, for administrators. */
import { t } from '@lingui/core/macro';
import { IconMail } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import {
  countInvitations,
  listInvitations,
  type Invitation,
  type ListedInvitation,
  type InvitationGroup,
} from '@vestibule/contract/invitations';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import { InvitationDialogs, type OpenInvitationDialog } from './invitation-dialogs.tsx';
import { skipReason, bulkChanges } from './invitation-changes.ts';
import { invitationMenu, showInvitedToast } from './invitation-menu.ts';
import { countOf } from './invitation-texts.ts';
import { useInvitationSettings } from './invitation-settings.ts';
import { invitationGridColumns } from './invitation-columns.ts';
import { readInviteDraft } from './create/invite-draft.ts';
import { fetchCountsFrom, fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { SelectedRows } from '../../ui/grid/grid-selection.ts';
import type { GridHandle } from '../../ui/grid/grid-props.ts';
import { DataGrid } from '../../ui/grid/grid.tsx';
import { Page } from '../../ui/shell/page.tsx';

const route = getRouteApi('/_signed-in/layout/invitations');

const InvitationPanel = lazy(() => import('./invitation-panel.tsx'));
const loadInviteDialog = () => import('./create/invite-dialog.tsx');
const InviteDialog = lazy(loadInviteDialog);
// Loads the dialog in parallel with the grid. The lazy component reports a failure.
if (window.location.search.includes('invite=true')) loadInviteDialog().catch(() => {});

const source = {
  name: 'invitations',
  fetchPage: fetchPageFrom(listInvitations),
  exportPath: '/api/invitations/export',
  changesOf: 'invitations',
  countTabs: fetchCountsFrom(countInvitations),
};

const batchSource = (batch: string) => ({
  ...source,
  within: [{ column: 'batchId', is: 'oneOf' as const, values: [batch] }],
});

const tabs = () => {
  const labels: Record<InvitationGroup, string> = {
    waiting: t({ message: 'Waiting', context: 'several invitations' }),
    expiring: t`Expiring soon`,
    failed: t`Not delivered`,
    expired: t`Expired`,
    joined: t({ message: 'Joined', context: 'several invitations' }),
  };
  return Object.entries(labels).map(([id, label]) => ({ id, label }));
};

export function InvitationsScreen() {
  const [isInviting, setIsInviting] = useState(() => readInviteDraft()?.open ?? false);
  const [dialog, setDialog] = useState<OpenInvitationDialog | null>(null);
  const [version, setVersion] = useState(0);
  const grid = useRef<GridHandle>(null);
  const navigate = route.useNavigate();
  const address = route.useSearch();
  const { show: shown, batch, invite } = address;
  const shownColumns = useMemo(() => invitationGridColumns(), []);

  const mailsAreOff = useInvitationSettings()?.mail === 'off';

  const refresh = () => {
    grid.current?.refresh();
    setVersion((previous) => previous + 1);
  };
  const closeInviteDialog = () => {
    setIsInviting(false);
    if (invite) void navigate({ search: (previous) => ({ ...previous, invite: undefined }), replace: true });
  };
  const actionsOf = (invitation: Invitation) =>
    invitationMenu(invitation, {
      onOpenDialog: setDialog,
      onChanged: refresh,
      onInvite: () => setIsInviting(true),
    });
  const changeSearch = (search: Partial<typeof address>, replace: boolean) =>
    void navigate({ search: (previous) => ({ ...previous, ...search }), replace, resetScroll: false });
  /** Opening adds a history entry; switching rows and closing replace it. */
  const showInvitation = (id: string | undefined, replace: boolean) => changeSearch({ show: id }, replace);

  return (
    <Page
      title={t`Invitations`}
      fill
      description={
        (batch || mailsAreOff) && (
          <ScreenNotes
            mailsAreOff={mailsAreOff}
            onShowAll={batch ? () => void navigate({ search: {} }) : undefined}
          />
        )
      }
      actions={
        <>
          <Button onClick={() => setDialog({ kind: 'batches' })}>{t`Past imports`}</Button>
          <Button variant="primary" onClick={() => setIsInviting(true)}>
            {t`Invite someone`}
          </Button>
        </>
      }
    >
      <DataGrid
        key={batch ?? ''}
        ref={grid}
        label={t`Invitations`}
        countOf={countOf}
        columns={shownColumns}
        source={batch ? batchSource(batch) : source}
        tabs={batch ? [] : tabs()}
        address={{
          current: address,
          onChange: (next, addsHistoryEntry) => changeSearch(next, !addsHistoryEntry),
        }}
        onRowOpen={({ id }) => showInvitation(id, shown !== undefined)}
        detailPanel={
          shown === undefined
            ? undefined
            : {
                id: shown,
                panel: (
                  <InvitationPanel
                    id={shown}
                    version={version}
                    actions={actionsOf}
                    onShow={(id) => showInvitation(id, true)}
                    onClose={() => showInvitation(undefined, true)}
                  />
                ),
              }
        }
        rowActions={(invitation) => [
          { label: t`Details`, onSelect: () => showInvitation(invitation.id, shown !== undefined) },
          ...actionsOf(invitation),
        ]}
        bulkActions={bulkChanges().map((bulkChange) => ({
          label: bulkChange.label,
          danger: bulkChange.danger,
          skipReason: (invitation: Invitation) => skipReason(bulkChange.action, invitation),
          onSelect: (selected: SelectedRows<ListedInvitation>) =>
            setDialog({ kind: 'many', change: bulkChange, selected }),
        }))}
        emptyState={<NoInvitations onInvite={() => setIsInviting(true)} />}
      />
      <Suspense>
        {(isInviting || invite) && (
          <InviteDialogWithToasts
            onClose={closeInviteDialog}
            onInvited={(batchDialog) => {
              if (batchDialog) setDialog(batchDialog);
              refresh();
            }}
          />
        )}
        {dialog && (
          <InvitationDialogs
            dialog={dialog}
            onOpenDialog={setDialog}
            onChanged={refresh}
            onShowBatch={(batchId) => void navigate({ search: { batch: batchId } })}
          />
        )}
      </Suspense>
    </Page>
  );
}

/** Invite dialog. `onInvited` receives the batch dialog to open after a list was accepted. */
function InviteDialogWithToasts({
  onClose,
  onInvited,
}: {
  onClose: () => void;
  onInvited: (batchDialog?: OpenInvitationDialog) => void;
}) {
  return (
    <InviteDialog
      onClose={onClose}
      onInvited={(invitation) => {
        showInvitedToast(invitation);
        onInvited();
      }}
      onAccepted={({ id: batchId, counts }) =>
        onInvited({ kind: 'batch', batchId, isNew: true, count: counts.created + counts.sentAgain })
      }
    />
  );
}

function ScreenNotes({
  mailsAreOff,
  onShowAll,
}: {
  mailsAreOff: boolean;
  onShowAll: (() => void) | undefined;
}) {
  return (
    <>
      {mailsAreOff &&
        `${t`This site does not send e-mail. Copy each link, or show its QR code, and pass it on.`} `}
      {onShowAll && (
        <>
          {t`Showing one import only.`}{' '}
          <Button size="small" onClick={onShowAll}>
            {t`Show all`}
          </Button>
        </>
      )}
    </>
  );
}

function NoInvitations({ onInvite }: { onInvite: () => void }) {
  return (
    <EmptyState
      icon={<IconMail size={32} stroke={1.5} />}
      title={t`No invitations yet`}
      action={<Button onClick={onInvite}>{t`Invite someone`}</Button>}
    >
      {t`People can join only by invitation. Invite the first one.`}
    </EmptyState>
  );
}
