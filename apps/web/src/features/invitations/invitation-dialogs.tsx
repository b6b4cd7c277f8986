/** Dialogs of the invitations screen. */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Invitation, ListedInvitation } from '@vestibule/contract/invitations';
import { lazy } from 'react';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { BulkActionDialog } from '../../ui/dialog/bulk-action-dialog.tsx';
import type { SelectedRows } from '../../ui/grid/selection/grid-selection.ts';
import { Address } from '../../ui/person/address.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { changeMany, revoke, type ManyChange } from './invitation-changes.ts';
import { useInvitationSettings } from './invitation-settings.ts';
import { countOf, invitedPerson } from './invitation-texts.ts';
import { takeBatchBack } from './create/batches/undo-batch.ts';

const AddressDialog = lazy(() => import('./address-dialog.tsx'));
const BatchDialog = lazy(() => import('./create/batches/batch-dialog.tsx'));
const PastImportsDialog = lazy(() => import('./create/batches/past-imports-dialog.tsx'));
const QrDialog = lazy(() => import('./qr-dialog.tsx'));
const RenewDialog = lazy(() => import('./renew-dialog.tsx'));

export type InvitationDialogs = { what: 'renew' | 'revoke' | 'address' | 'qr'; invitation: Invitation };

export type Asked =
  | InvitationDialogs
  | { what: 'many'; change: ManyChange; selected: SelectedRows<ListedInvitation> }
  | { what: 'batch'; batchId: string; fresh: boolean; count: number }
  | { what: 'batches' };

export function AskedDialog({
  asked,
  onAsk,
  onChanged,
  onShowBatch,
}: {
  asked: Asked;
  /** Opens another dialog, or none. */
  onAsk: (next: Asked | null) => void;
  onChanged: () => void;
  /** Filters the grid by a batch. */
  onShowBatch: (batchId: string) => void;
}) {
  const mailsAreOff = useInvitationSettings()?.mail === 'off';
  const close = () => {
    onAsk(null);
    onChanged();
  };
  const closeBatch = ({ batchId, fresh, count }: Extract<Asked, { what: 'batch' }>) => {
    close();
    if (fresh)
      toast.success(
        mailsAreOff
          ? plural(count, { one: '# invitation is ready.', other: '# invitations are ready.' })
          : plural(count, { one: '# invitation is on the way.', other: '# invitations are on the way.' }),
        {
          undo: () =>
            takeBatchBack(batchId)
              .finally(onChanged)
              .then((batch) => batch !== null),
        },
      );
  };

  switch (asked.what) {
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
          onClose={() => onAsk(null)}
          onConfirm={() => revoke(asked.invitation).then(close)}
        >
          <p>
            <Trans>
              The link that <Address of={asked.invitation.email} /> received stops working immediately. You
              can invite the address again later.
            </Trans>
          </p>
        </ConfirmDialog>
      );
    case 'many': {
      const { change, selected } = asked;
      return (
        <BulkActionDialog
          title={change.label}
          danger={change.danger}
          selected={selected}
          personOf={invitedPerson}
          countOf={countOf}
          onConfirm={(progress) => changeMany(change, selected.selection, progress)}
          onDone={onChanged}
          onClose={() => onAsk(null)}
        >
          <p>{change.consequence}</p>
        </BulkActionDialog>
      );
    }
    case 'batch':
      return (
        <BatchDialog
          batchId={asked.batchId}
          onClose={() => closeBatch(asked)}
          onChanged={() => onAsk({ ...asked, fresh: false })}
          onShow={() => {
            closeBatch(asked);
            onShowBatch(asked.batchId);
          }}
        />
      );
    case 'batches':
      return (
        <PastImportsDialog
          onClose={() => onAsk(null)}
          onOpen={(batchId) => onAsk({ what: 'batch', batchId, fresh: false, count: 0 })}
        />
      );
  }
}
