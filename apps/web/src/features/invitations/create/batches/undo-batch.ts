/** Revokes the unredeemed invitations of a batch and shows the result. */
import { plural, t } from '@lingui/core/macro';
import { undoBatch, type BatchProgress } from '@vestibule/contract/invitations/batches';
import { describeFailure } from '../../../../language/call-failure.ts';
import { call } from '../../../../lib/call.ts';
import { toast } from '../../../../ui/toast/toast.tsx';
import { tellRevoked } from '../../invitation-texts.ts';

export async function takeBatchBack(batchId: string): Promise<BatchProgress | null> {
  try {
    const batch = await call(undoBatch, { params: { batchId } });
    const stay =
      batch.redeemed > 0
        ? ` ${plural(batch.redeemed, {
            one: '# person had already signed up and stays.',
            other: '# people had already signed up and stay.',
          })}`
        : '';
    toast.success(t`Undone: ${tellRevoked(batch.revoked)}` + stay);
    return batch;
  } catch (error) {
    toast.failure(describeFailure(error));
    return null;
  }
}
