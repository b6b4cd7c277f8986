/** One list of invitations after it was accepted: how far its mails are, and one click that takes it back. */
import { useQuery } from '@tanstack/react-query';
import { getBatch, listBatches, undoBatch, type BatchProgress } from '@vestibule/contract/invitation-batches';
import { describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { countOf } from './invitation-words.ts';
import './invitations.css';

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Between two looks at a batch whose mails are still leaving, in milliseconds. */
const lookAgainAfter = 1_500;

/** Revokes what a batch created and nobody has redeemed, and says so. */
export async function takeBatchBack(batchId: string): Promise<BatchProgress | null> {
  try {
    const batch = await call(undoBatch, { params: { batchId } });
    const stay =
      batch.redeemed > 0
        ? ` ${countOf(batch.redeemed, 'person', 'people')} had signed up already and ${batch.redeemed === 1 ? 'stays' : 'stay'}.`
        : '';
    toast.success(`Taken back: ${countOf(batch.revoked)} revoked, the links no longer work.${stay}`);
    return batch;
  } catch (error) {
    const { message, reference } = describeFailure(error);
    toast.failure(message, { reference });
    return null;
  }
}

export function BatchDialog({
  batchId,
  onClose,
  onShow,
  onChanged,
}: {
  batchId: string;
  onClose: () => void;
  /** Shows the batch's invitations in the list. */
  onShow: () => void;
  onChanged: () => void;
}) {
  const query = useQuery({
    queryKey: ['invitation-batch', batchId],
    queryFn: ({ signal }) => call(getBatch, { params: { batchId }, signal }),
    refetchInterval: ({ state }) => (state.data && state.data.mails.queued === 0 ? false : lookAgainAfter),
    staleTime: 0,
  });
  const batch = query.data;
  const undo = async () => {
    if ((await takeBatchBack(batchId)) === null) return;
    await query.refetch();
    onChanged();
  };

  return (
    <Dialog
      title="Invitations sent"
      width={600}
      onClose={onClose}
      actions={
        <>
          {batch && !batch.undoneAt && batch.open > 0 && (
            <Button onClick={undo}>Undo: revoke {countOf(batch.open)}</Button>
          )}
          <Button onClick={onShow}>Show in the list</Button>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      {batch ? (
        <BatchFacts batch={batch} />
      ) : query.error ? (
        <LoadFailure error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <Skeleton lines={4} />
      )}
    </Dialog>
  );
}

function BatchFacts({ batch }: { batch: BatchProgress }) {
  const { created, sentAgain, skipped } = batch.counts;
  const { queued, sent, failed, none } = batch.mails;
  const facts = [
    { name: 'Sent by', value: `${batch.createdBy}, ${moment.format(new Date(batch.createdAt))}` },
    { name: 'Invited', value: countOf(created, 'person', 'people') },
    ...(sentAgain > 0 ? [{ name: 'Sent again', value: countOf(sentAgain) }] : []),
    ...(skipped > 0 ? [{ name: 'Left out', value: countOf(skipped, 'row') }] : []),
    { name: 'Signed up', value: countOf(batch.redeemed, 'person', 'people') },
    ...(batch.revoked > 0 ? [{ name: 'Revoked', value: countOf(batch.revoked) }] : []),
  ];
  return (
    <div className="batch">
      <output>
        {batch.undoneAt
          ? `Taken back on ${moment.format(new Date(batch.undoneAt))}. Mails that had not left stay here.`
          : queued > 0
            ? `${sent.toLocaleString()} of ${countOf(queued + sent + failed, 'mail')} sent. You can close this; it goes on by itself.`
            : none > 0
              ? 'No mail is sent from this installation. Copy each link, or show its QR code, and hand it over.'
              : `${countOf(sent, 'mail')} sent.`}
        {failed > 0 &&
          ` ${countOf(failed, 'mail')} could not be delivered: show them in the list, where each one says why.`}
      </output>
      {!batch.undoneAt && queued + sent + failed > 0 && (
        <progress aria-label="Mails sent" value={sent + failed} max={queued + sent + failed} />
      )}
      <Facts items={facts} />
    </div>
  );
}

/** The latest lists, to look at one again or to take it back. */
export function BatchesDialog({
  onClose,
  onOpen,
}: {
  onClose: () => void;
  onOpen: (batchId: string) => void;
}) {
  const query = useQuery({
    queryKey: ['invitation-batches'],
    queryFn: ({ signal }) => call(listBatches, { signal }),
    staleTime: 0,
  });
  return (
    <Dialog
      title="Earlier lists"
      width={640}
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      }
    >
      {query.data ? (
        <ul className="batches">
          {query.data.rows.map(({ id, createdAt, createdBy, counts }) => (
            <li key={id}>
              <span>
                {moment.format(new Date(createdAt))}: {countOf(counts.created)}, by {createdBy}
              </span>
              <Button
                size="small"
                aria-label={`Open the list of ${moment.format(new Date(createdAt))}`}
                onClick={() => onOpen(id)}
              >
                Open
              </Button>
            </li>
          ))}
          {query.data.rows.length === 0 && <li>No list has been sent yet.</li>}
        </ul>
      ) : query.error ? (
        <LoadFailure error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <Skeleton lines={5} />
      )}
    </Dialog>
  );
}

function LoadFailure({ error, onRetry }: { error: Error; onRetry: () => unknown }) {
  const { message, reference } = describeFailure(error);
  return (
    <Failure title="This could not be loaded" reference={reference} onRetry={onRetry}>
      {message}
    </Failure>
  );
}
