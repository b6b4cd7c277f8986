/** Dialogs of the invitations screen. */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Invitation } from '@vestibule/contract/invitations';
import { lazy } from 'react';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { Address } from '../../ui/person/person.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { revoke } from './invitation-changes.ts';
import { useInvitationSettings } from './invitation-settings.ts';
import { undoBatchWithToast } from './create/batches/undo-batch.ts';

const AddressDialog = lazy(() => import('./address-dialog.tsx'));
const BatchDialog = lazy(() => import('./create/batches/batch-dialog.tsx'));
const PastImportsDialog = lazy(() => import('./create/batches/past-imports-dialog.tsx'));
const QrDialog = lazy(() => import('./qr-dialog.tsx'));
const RenewDialog = lazy(() => import('./renew-dialog.tsx'));

export type InvitationDialogs = ReturnType<typeof useInvitationDialogs>;

/** Returns the open dialog, and functions that open the dialogs. `onShowBatch` filters the grid by a batch. */
export function useInvitationDialogs(onChanged: () => void, onShowBatch: (batchId: string) => void) {
  const mailsAreOff = useInvitationSettings()?.mail === 'off';
  const { dialog, open, close, ask } = useDialog();
  const closeChanged = () => {
    close();
    onChanged();
  };
  /** `count` is the number of invitations of a new batch; 0 for another batch. */
  const openBatch = (batchId: string, count = 0): void => {
    const closeBatch = () => {
      closeChanged();
      if (count > 0)
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
    open(() => (
      <BatchDialog
        batchId={batchId}
        onClose={closeBatch}
        onChanged={() => openBatch(batchId)}
        onShow={() => {
          closeBatch();
          onShowBatch(batchId);
        }}
      />
    ));
  };

  return {
    dialog,
    open,
    openBatch,
    openBatches: () => open(() => <PastImportsDialog onClose={close} onOpen={openBatch} />),
    renew: (invitation: Invitation) =>
      open(() => <RenewDialog invitation={invitation} onClose={closeChanged} />),
    changeAddress: (invitation: Invitation) =>
      open(() => <AddressDialog invitation={invitation} onClose={closeChanged} />),
    showQrCode: (invitation: Invitation) =>
      open(() => <QrDialog invitation={invitation} onClose={closeChanged} />),
    revoke: (invitation: Invitation) =>
      ask({
        title: t`Revoke: ${invitation.email}`,
        confirm: t`Revoke invitation`,
        danger: true,
        text: (
          <p>
            <Trans>
              The link that <Address of={invitation.email} /> received stops working immediately. You can
              invite the address again later.
            </Trans>
          </p>
        ),
        act: () => revoke(invitation).then(onChanged),
      }),
  };
}
