/** Dialogs of the invitations screen. */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Invitation, ListedInvitation } from '@vestibule/contract/invitations';
import { lazy } from 'react';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { BulkActionDialog } from '../../ui/dialog/bulk-action-dialog.tsx';
import type { SelectedRows } from '../../ui/grid/grid-selection.ts';
import { Address } from '../../ui/person/person.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { runBulkChange, revoke, type BulkChange } from './invitation-changes.ts';
import { useInvitationSettings } from './invitation-settings.ts';
import { countOf, invitedPerson } from './invitation-texts.ts';
import { undoBatchWithToast } from './create/batches/undo-batch.ts';

const AddressDialog = lazy(() => import('./address-dialog.tsx'));
const BatchDialog = lazy(() => import('./create/batches/batch-dialog.tsx'));
const PastImportsDialog = lazy(() => import('./create/batches/past-imports-dialog.tsx'));
const QrDialog = lazy(() => import('./qr-dialog.tsx'));
const RenewDialog = lazy(() => import('./renew-dialog.tsx'));

export type SingleInvitationDialog = { kind: 'renew' | 'revoke' | 'address' | 'qr'; invitation: Invitation };

export type OpenInvitationDialog =
  | SingleInvitationDialog
  | { kind: 'many'; change: BulkChange; selected: SelectedRows<ListedInvitation> }
  | { kind: 'batch'; batchId: string; isNew: boolean; count: number }
  | { kind: 'batches' };

export function InvitationDialogs({
  dialog,
  onOpenDialog,
  onChanged,
  onShowBatch,
}: {
  dialog: OpenInvitationDialog;
  /** Opens another dialog; null closes the dialog. */
  onOpenDialog: (next: OpenInvitationDialog | null) => void;
  onChanged: () => void;
  /** Filters the grid by a batch. */
  onShowBatch: (batchId: string) => void;
}) {
  const mailsAreOff = useInvitationSettings()?.mail === 'off';
  const close = () => {
    onOpenDialog(null);
    onChanged();
  };
  const closeBatch = ({ batchId, isNew, count }: Extract<OpenInvitationDialog, { kind: 'batch' }>) => {
    close();
    if (isNew)
      toast.success(
        mailsAreOff
          ? plural(count, { one: '# invitation is ready.', other: '# invitations are ready.' })
          : plural(count, { one: '# invitation is on the way.', other: '# invitations are on the way.' }),
        {
          undo: () =>
            undoBatchWithToast(batchId)
              .finally(onChanged)
              .then((batch) => batch !== null),
        },
      );
  };

  switch (dialog.kind) {
    case 'renew':
      return <RenewDialog invitation={dialog.invitation} onClose={close} />;
    case 'address':
      return <AddressDialog invitation={dialog.invitation} onClose={close} />;
    case 'qr':
      return <QrDialog invitation={dialog.invitation} onClose={close} />;
    case 'revoke':
      return (
        <ConfirmDialog
          title={t`Revoke: ${dialog.invitation.email}`}
          confirm={t`Revoke invitation`}
          danger
          onClose={() => onOpenDialog(null)}
          onConfirm={() => revoke(dialog.invitation).then(close)}
        >
          <p>
            <Trans>
              The link that <Address of={dialog.invitation.email} /> received stops working immediately. You
              can invite the address again later.
            </Trans>
          </p>
        </ConfirmDialog>
      );
    case 'many': {
      const { change, selected } = dialog;
      return (
        <BulkActionDialog
          title={change.label}
          danger={change.danger}
          selected={selected}
          personOf={invitedPerson}
          countOf={countOf}
          onConfirm={(progress) => runBulkChange(change, selected.selection, progress)}
          onDone={onChanged}
          onClose={() => onOpenDialog(null)}
        >
          <p>{change.consequence}</p>
        </BulkActionDialog>
      );
    }
    case 'batch':
      return (
        <BatchDialog
          batchId={dialog.batchId}
          onClose={() => closeBatch(dialog)}
          onChanged={() => onOpenDialog({ ...dialog, isNew: false })}
          onShow={() => {
            closeBatch(dialog);
            onShowBatch(dialog.batchId);
          }}
        />
      );
    case 'batches':
      return (
        <PastImportsDialog
          onClose={() => onOpenDialog(null)}
          onOpen={(batchId) => onOpenDialog({ kind: 'batch', batchId, isNew: false, count: 0 })}
        />
      );
  }
}
