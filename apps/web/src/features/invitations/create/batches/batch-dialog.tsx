/** Progress of an accepted batch of invitations, with undo. */
import { routeHere } from '../../../../lib/active-organization.ts';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { getBatch, type BatchProgress } from '@vestibule/contract/invitations/batches';
import { formatNumber } from '../../../../language/formats.ts';
import { useApiQuery } from '../../../../lib/use-api-query.ts';
import { personOrEmail } from '../../../../lib/person-or-email.ts';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog/dialog.tsx';
import { Facts } from '../../../../ui/facts.tsx';
import { Loading } from '../../../../ui/states.tsx';
import { PersonCell } from '../../../../ui/person/person.tsx';
import { Moment } from '../../../../ui/time/moment.tsx';
import { useBusy } from '../../../../ui/use-busy.ts';
import { countMails, countOf, countPeople, countRows, undeliveredMessage } from '../../invitation-texts.ts';
import { undoBatchWithToast } from './undo-batch.ts';
import '../../invitations.css';

/** Polling interval while mails are being sent, in milliseconds. */
const pollMilliseconds = 1_500;

export default function BatchDialog({
  batchId,
  onClose,
  onShow,
  onChanged,
}: {
  batchId: string;
  onClose: () => void;
  /** Filters the grid by this batch. */
  onShow: () => void;
  onChanged: () => void;
}) {
  const query = useApiQuery(routeHere(getBatch), {
    key: ['invitation-batch', batchId],
    params: { batchId },
    refetchInterval: ({ state }) => (state.data && state.data.mails.queued === 0 ? false : pollMilliseconds),
    staleTime: 0,
  });
  const batch = query.data;
  const [undo, isUndoing] = useBusy(async () => {
    if ((await undoBatchWithToast(batchId)) === null) return;
    onChanged();
    await query.refetch();
  });
  // The dialog stays open until the undo has finished, because its texts and buttons depend on the result.
  const ifNotUndoing = (action: () => void) => () => (isUndoing ? undefined : action());

  return (
    <Dialog
      title={t`Invitations sent`}
      width={600}
      onClose={ifNotUndoing(onClose)}
      actions={
        <>
          {batch && !batch.undoneAt && batch.open > 0 && (
            <Button busy={isUndoing} onClick={undo}>
              {t`Undo: revoke ${countOf(batch.open)}`}
            </Button>
          )}
          <Button aria-disabled={isUndoing} onClick={onShow}>
            {t`Show in the list`}
          </Button>
          <Button variant="primary" aria-disabled={isUndoing} onClick={onClose}>
            {t`Done`}
          </Button>
        </>
      }
    >
      {batch ? (
        <BatchFacts batch={batch} />
      ) : (
        <Loading query={query} title={t`This could not be loaded`} lines={4} />
      )}
    </Dialog>
  );
}

function BatchFacts({ batch }: { batch: BatchProgress }) {
  const { created, sentAgain, skipped } = batch.counts;
  const { queued, sent, failed, none } = batch.mails;
  const facts = [
    { name: t`Sent by`, value: <PersonCell person={personOrEmail(batch.createdBy, batch.inviter)} /> },
    { name: t`Sent`, value: <Moment at={batch.createdAt} /> },
    { name: t`Invited`, value: countPeople(created) },
    ...(sentAgain > 0 ? [{ name: t`Resent`, value: countOf(sentAgain) }] : []),
    ...(skipped > 0 ? [{ name: t`Skipped`, value: countRows(skipped) }] : []),
    { name: t`Signed up`, value: countPeople(batch.redeemed) },
    ...(batch.revoked > 0 ? [{ name: t`Revoked`, value: countOf(batch.revoked) }] : []),
  ];
  const describeProgress = () => {
    if (batch.undoneAt)
      return (
        <Trans>
          Undone <Moment at={batch.undoneAt} />. E-mails not yet sent were cancelled.
        </Trans>
      );
    if (queued > 0)
      return t`${formatNumber(sent)} of ${countMails(queued + sent + failed)} sent. You can close this; sending continues.`;
    return none > 0
      ? t`This site does not send e-mail. Copy each link, or show its QR code, and pass it on.`
      : t`${countMails(sent)} sent.`;
  };
  return (
    <div className="stack">
      <output>
        {describeProgress()}
        {failed > 0 && ` ${undeliveredMessage(failed)}`}
      </output>
      {!batch.undoneAt && queued + sent + failed > 0 && (
        <progress aria-label={t`E-mails sent`} value={sent + failed} max={queued + sent + failed} />
      )}
      <Facts items={facts} />
    </div>
  );
}
