/** `/layout/invitations`: who was asked in and what became of it (administrators only). */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconMail } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { listInvitations, type Invitation } from '@vestibule/contract/invitations';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import { copyInvitationLink } from './copy-link.ts';
import { changeMany, manyChanges, revoke, sendAgain, type ManyChange } from './invitation-changes.ts';
import { afterSending, countOf, isOpen } from './invitation-words.ts';
import { useInvitationSettings } from './invitation-settings.ts';
import { invitationGridColumns } from './invitation-columns.ts';
import { readInviteDraft } from './inviting/invite-draft.ts';
import { takeBatchBack } from './inviting/take-batch-back.ts';
import { describeFailure } from '../../lib/call-failure.ts';
import { fetchPageFrom } from '../../lib/fetch-page.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { knownFilters, type GridFilter } from '../../ui/grid/rows/grid-query.ts';
import type { SelectedRows } from '../../ui/grid/selection/grid-selection.ts';
import type { GridHandle } from '../../ui/grid/grid-props.ts';
import { DataGrid } from '../../ui/grid/grid.tsx';
import { ManyDialog } from '../../ui/dialog/many-dialog.tsx';
import type { MenuItem } from '../../ui/menu/menu.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { toast } from '../../ui/toast/toast.tsx';

const route = getRouteApi('/_signed-in/layout/invitations');

// The list is there before what may be opened over it.
const AddressDialog = lazy(() => import('./address-dialog.tsx'));
const BatchDialog = lazy(async () => ({
  default: (await import('./inviting/batch-dialog.tsx')).BatchDialog,
}));
const BatchesDialog = lazy(async () => ({
  default: (await import('./inviting/batch-dialog.tsx')).BatchesDialog,
}));
const DetailsDialog = lazy(() => import('./details-dialog.tsx'));
const InviteDialog = lazy(() => import('./inviting/invite-dialog.tsx'));
const QrDialog = lazy(() => import('./qr-dialog.tsx'));
const RenewDialog = lazy(() => import('./renew-dialog.tsx'));

const fetchPage = fetchPageFrom(listInvitations);

/** The dialog that is open for one invitation, or for many. */
type Asked =
  | { what: 'renew' | 'revoke' | 'address' | 'qr'; invitation: Invitation }
  | { what: 'many'; change: ManyChange; selected: SelectedRows<Invitation> }
  | { what: 'batch'; batchId: string; fresh: boolean; count: number }
  | { what: 'batches' };

export function InvitationsScreen() {
  const [inviting, setInviting] = useState(() => readInviteDraft()?.open ?? false);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [version, setVersion] = useState(0);
  const grid = useRef<GridHandle>(null);
  const navigate = route.useNavigate();
  const { invitation: shown, batch, invite, filters = [] } = route.useSearch();
  const shownColumns = useMemo(() => invitationGridColumns(), []);

  const mailsAreOff = useInvitationSettings()?.mail === 'off';

  const refresh = () => {
    grid.current?.refresh();
    setVersion((before) => before + 1);
  };
  const close = () => {
    setAsked(null);
    refresh();
  };
  const endInviting = () => {
    setInviting(false);
    if (invite) void navigate({ search: (kept) => ({ ...kept, invite: undefined }), replace: true });
  };
  const show = (invitation?: string) => navigate({ search: (kept) => ({ ...kept, invitation }) });
  const ask = (what: 'renew' | 'revoke' | 'address' | 'qr', invitation: Invitation) => () =>
    setAsked({ what, invitation });

  const changesOf = (invitation: Invitation): MenuItem[] => {
    const revoking = { label: t`Revoke`, danger: true, onSelect: ask('revoke', invitation) };
    if (invitation.status === 'expired')
      return [{ label: t`Renew`, onSelect: ask('renew', invitation) }, revoking];
    if (!isOpen(invitation)) return [];
    return [
      { label: t`Send again`, onSelect: () => void sendAgain(invitation).then(refresh) },
      { label: t`Copy link`, onSelect: () => void copyInvitationLink(invitation) },
      { label: t`QR code`, onSelect: ask('qr', invitation) },
      { label: t`Change address`, onSelect: ask('address', invitation) },
      revoking,
    ];
  };

  const closeBatch = ({ batchId, fresh, count }: Extract<Asked, { what: 'batch' }>) => {
    close();
    if (fresh)
      toast.success(
        mailsAreOff
          ? plural(count, { one: '# invitation is ready.', other: '# invitations are ready.' })
          : plural(count, { one: '# invitation is on the way.', other: '# invitations are on the way.' }),
        {
          action: { label: t`Undo`, onClick: () => takeBatchBack(batchId).then(refresh) },
        },
      );
  };

  const ofBatch: GridFilter[] = batch ? [{ column: 'batchId', is: 'oneOf', values: [batch] }] : [];
  return (
    <Page
      title={t`Invitations`}
      fill
      description={
        (batch || mailsAreOff) && (
          <>
            {mailsAreOff &&
              `${t`This site sends no mails. Copy each link, or show its QR code, and hand it over.`} `}
            {batch && (
              <>
                <Trans>Of one list only.</Trans>{' '}
                <Button size="small" onClick={() => navigate({ search: {} })}>
                  <Trans>Show all</Trans>
                </Button>
              </>
            )}
          </>
        )
      }
      actions={
        <>
          <Button onClick={() => setAsked({ what: 'batches' })}>
            <Trans>Earlier lists</Trans>
          </Button>
          <Button variant="primary" onClick={() => setInviting(true)}>
            <Trans>Invite somebody</Trans>
          </Button>
        </>
      }
    >
      <DataGrid
        key={batch ?? ''}
        ref={grid}
        label={t`Invitations`}
        countOf={countOf}
        describeFailure={describeFailure}
        columns={shownColumns}
        rowId={(invitation) => invitation.id}
        fetchPage={fetchPage}
        filters={[...ofBatch, ...knownFilters(shownColumns, filters)]}
        onFiltersChange={(next) => {
          const chosen = next.filter(({ column }) => column !== 'batchId');
          void navigate({
            search: (kept) => ({ ...kept, filters: chosen.length > 0 ? chosen : undefined }),
            replace: true,
          });
        }}
        gridName="invitations"
        exportAs="/api/invitations/export"
        changesOf="invitations"
        onRowOpen={(invitation) => void show(invitation.id)}
        rowActions={(invitation) => [
          { label: t`Details`, onSelect: () => void show(invitation.id) },
          ...changesOf(invitation),
        ]}
        bulkActions={manyChanges().map((change) => ({
          label: change.label,
          danger: change.danger,
          onSelect: (selected: SelectedRows<Invitation>) => setAsked({ what: 'many', change, selected }),
        }))}
        emptyState={
          <EmptyState
            icon={<IconMail size={32} stroke={1.5} />}
            title={t`Nobody has been invited yet`}
            action={
              <Button onClick={() => setInviting(true)}>
                <Trans>Invite somebody</Trans>
              </Button>
            }
          >
            <Trans>People come in only by invitation. Invite the first one.</Trans>
          </EmptyState>
        }
      />
      <Suspense>
        {shown && (
          <DetailsDialog
            invitationId={shown}
            version={version}
            actions={changesOf}
            onClose={() => void show()}
          />
        )}
        {(inviting || invite) && (
          <InviteDialog
            onClose={endInviting}
            onInvited={(invitation) => {
              endInviting();
              toast.success(
                afterSending(invitation, t`The invitation for ${invitation.email} is on its way.`),
                {
                  action: { label: t`Copy link`, onClick: () => copyInvitationLink(invitation) },
                },
              );
              refresh();
            }}
            onAccepted={({ id: batchId, counts }) => {
              endInviting();
              setAsked({ what: 'batch', batchId, fresh: true, count: counts.created + counts.sentAgain });
              refresh();
            }}
          />
        )}
        {dialog()}
      </Suspense>
    </Page>
  );

  function dialog() {
    switch (asked?.what) {
      case 'renew':
        return <RenewDialog invitation={asked.invitation} onClose={close} />;
      case 'address':
        return <AddressDialog invitation={asked.invitation} onClose={close} />;
      case 'qr':
        return <QrDialog invitation={asked.invitation} onClose={close} />;
      case 'revoke':
        return (
          <ConfirmDialog
            title={t`Revoke: ${asked.invitation.email}`}
            confirm={t`Revoke invitation`}
            danger
            onClose={() => setAsked(null)}
            onConfirm={() => revoke(asked.invitation).then(close)}
          >
            <p>
              <Trans>
                The link that {asked.invitation.email} received stops working at once. You can invite the
                address again later.
              </Trans>
            </p>
          </ConfirmDialog>
        );
      case 'many': {
        const { change, selected } = asked;
        return (
          <ManyDialog
            title={change.label}
            danger={change.danger}
            selected={selected}
            nameOf={({ email }) => email}
            countOf={countOf}
            onConfirm={(progress) => changeMany(change, selected.selection, progress)}
            onDone={refresh}
            onClose={() => setAsked(null)}
          >
            <p>{change.consequence}</p>
          </ManyDialog>
        );
      }
      case 'batch':
        return (
          <BatchDialog
            batchId={asked.batchId}
            onClose={() => closeBatch(asked)}
            onChanged={() => setAsked({ ...asked, fresh: false })}
            onShow={() => {
              closeBatch(asked);
              void navigate({ search: { batch: asked.batchId } });
            }}
          />
        );
      case 'batches':
        return (
          <BatchesDialog
            onClose={() => setAsked(null)}
            onOpen={(batchId) => setAsked({ what: 'batch', batchId, fresh: false, count: 0 })}
          />
        );
      default:
        return null;
    }
  }
}
