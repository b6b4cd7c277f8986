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
import { AskedDialog, type Asked } from './invitation-dialogs.tsx';
import { skipReason, manyChanges } from './invitation-changes.ts';
import { invitationMenu, tellInvited } from './invitation-menu.ts';
import { countOf } from './invitation-texts.ts';
import { useInvitationSettings } from './invitation-settings.ts';
import { invitationGridColumns } from './invitation-columns.ts';
import { readInviteDraft } from './create/invite-draft.ts';
import { fetchCountsFrom } from '../../lib/lists/fetch-counts.ts';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import type { SelectedRows } from '../../ui/grid/selection/grid-selection.ts';
import type { GridHandle } from '../../ui/grid/grid-props.ts';
import { DataGrid } from '../../ui/grid/grid.tsx';
import { Page } from '../../ui/shell/page.tsx';

const route = getRouteApi('/_signed-in/layout/invitations');

const InvitationPanel = lazy(() => import('./invitation-panel.tsx'));
const loadInviteDialog = () => import('./create/invite-dialog.tsx');
const InviteDialog = lazy(loadInviteDialog);
// Load the dialog in parallel with the grid. The lazy component reports a failure.
if (window.location.search.includes('invite=true')) loadInviteDialog().catch(() => {});

const source = {
  name: 'invitations',
  fetchPage: fetchPageFrom(listInvitations),
  exportPath: '/api/invitations/export',
  changesOf: 'invitations',
  countTabs: fetchCountsFrom(countInvitations),
};

const sourceOf = (batch: string) => ({
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
  const [inviting, setInviting] = useState(() => readInviteDraft()?.open ?? false);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [version, setVersion] = useState(0);
  const grid = useRef<GridHandle>(null);
  const navigate = route.useNavigate();
  const address = route.useSearch();
  const { show: shown, batch, invite } = address;
  const shownColumns = useMemo(() => invitationGridColumns(), []);

  const mailsAreOff = useInvitationSettings()?.mail === 'off';

  const refresh = () => {
    grid.current?.refresh();
    setVersion((before) => before + 1);
  };
  const endInviting = () => {
    setInviting(false);
    if (invite) void navigate({ search: (kept) => ({ ...kept, invite: undefined }), replace: true });
  };
  const actionsOf = (invitation: Invitation) =>
    invitationMenu(invitation, { onAsk: setAsked, onChanged: refresh, onInvite: () => setInviting(true) });
  const change = (search: Partial<typeof address>, replace: boolean) =>
    void navigate({ search: (kept) => ({ ...kept, ...search }), replace, resetScroll: false });
  /** Opening adds a history entry; switching rows and closing replace it. */
  const show = (id: string | undefined, replace: boolean) => change({ show: id }, replace);

  return (
    <Page
      title={t`Invitations`}
      fill
      description={
        (batch || mailsAreOff) && (
          <Hints
            mailsAreOff={mailsAreOff}
            onShowAll={batch ? () => void navigate({ search: {} }) : undefined}
          />
        )
      }
      actions={
        <>
          <Button onClick={() => setAsked({ what: 'batches' })}>{t`Past imports`}</Button>
          <Button variant="primary" onClick={() => setInviting(true)}>
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
        source={batch ? sourceOf(batch) : source}
        tabs={batch ? [] : tabs()}
        address={{ current: address, onChange: (next, isPlace) => change(next, !isPlace) }}
        onRowOpen={({ id }) => show(id, shown !== undefined)}
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
                    onShow={(id) => show(id, true)}
                    onClose={() => show(undefined, true)}
                  />
                ),
              }
        }
        rowActions={(invitation) => [
          { label: t`Details`, onSelect: () => show(invitation.id, shown !== undefined) },
          ...actionsOf(invitation),
        ]}
        bulkActions={manyChanges().map((many) => ({
          label: many.label,
          danger: many.danger,
          skipReason: (invitation: Invitation) => skipReason(many.action, invitation),
          onSelect: (selected: SelectedRows<ListedInvitation>) =>
            setAsked({ what: 'many', change: many, selected }),
        }))}
        emptyState={<NoInvitations onInvite={() => setInviting(true)} />}
      />
      <Suspense>
        {(inviting || invite) && (
          <Inviting
            onEnd={endInviting}
            onInvited={(list) => {
              if (list) setAsked(list);
              refresh();
            }}
          />
        )}
        {asked && (
          <AskedDialog
            asked={asked}
            onAsk={setAsked}
            onChanged={refresh}
            onShowBatch={(batchId) => void navigate({ search: { batch: batchId } })}
          />
        )}
      </Suspense>
    </Page>
  );
}

/** Invite dialog. `onInvited` receives the batch dialog to open after a list was accepted. */
function Inviting({ onEnd, onInvited }: { onEnd: () => void; onInvited: (list?: Asked) => void }) {
  return (
    <InviteDialog
      onClose={onEnd}
      onInvited={(invitation) => {
        tellInvited(invitation);
        onInvited();
      }}
      onAccepted={({ id: batchId, counts }) =>
        onInvited({ what: 'batch', batchId, fresh: true, count: counts.created + counts.sentAgain })
      }
    />
  );
}

function Hints({ mailsAreOff, onShowAll }: { mailsAreOff: boolean; onShowAll: (() => void) | undefined }) {
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
