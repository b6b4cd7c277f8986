/** Revokes the unredeemed invitations of a batch and shows the result. */
import { routeHere } from '../../../../lib/active-organization.ts';
import { plural, t } from '@lingui/core/macro';
import { undoBatch, type BatchProgress } from '@vestibule/contract/invitations/batches';
import { describeFailure } from '../../../../language/call-failure.ts';
import { call } from '../../../../lib/call.ts';
import { toast } from '../../../../ui/toast/toast.tsx';
import { revokedMessage } from '../../invitation-texts.ts';

export async function undoBatchWithToast(batchId: string): Promise<BatchProgress | null> {
  try {
    const batch = await call(routeHere(undoBatch), { params: { batchId } });
    const signedUpText =
      batch.redeemed > 0
        ? ` ${plural(batch.redeemed, {
            one: '# person had already signed up and stays.',
            other: '# people had already signed up and stay.',
          })}`
        : '';
    toast.success(t`Undone: ${revokedMessage(batch.revoked)}` + signedUpText);
    return batch;
  } catch (error) {
    toast.failure(describeFailure(error));
    return null;
  }
}
