/** Latest batches, to be opened or undone. */
import { activeOrganization, routeHere } from '../../../../lib/active-organization.ts';
import { t } from '@lingui/core/macro';
import { listBatches } from '@vestibule/contract/invitations/batches';
import { formatMoment } from '../../../../language/moment.ts';
import { useApiQuery } from '../../../../lib/use-api-query.ts';
import { personOrEmail } from '../../../../lib/person-or-email.ts';
import { Button } from '../../../../ui/button.tsx';
import { CloseAction, Dialog } from '../../../../ui/dialog/dialog.tsx';
import { Loading } from '../../../../ui/states.tsx';
import { Moment } from '../../../../ui/time/moment.tsx';
import { PersonCell } from '../../../../ui/person/person.tsx';
import { countOf } from '../../invitation-texts.ts';
import '../../invitations.css';

export default function PastImportsDialog({
  onClose,
  onOpen,
}: {
  onClose: () => void;
  onOpen: (batchId: string) => void;
}) {
  const query = useApiQuery(routeHere(listBatches), {
    key: ['invitation-batches', activeOrganization()?.organizationId ?? ''],
    staleTime: 0,
  });
  return (
    <Dialog title={t`Past imports`} width={640} onClose={onClose} actions={<CloseAction onClose={onClose} />}>
      {query.data ? (
        <ul className="batches">
          {query.data.rows.map(({ id, createdAt, createdBy, inviter, counts }) => (
            <li key={id} className="apart">
              <PersonCell person={personOrEmail(createdBy, inviter)} />
              <span className="batch-what">
                {countOf(counts.created)}, <Moment at={createdAt} />
              </span>
              <Button
                size="small"
                aria-label={t`Open the import of ${formatMoment(createdAt)}`}
                onClick={() => onOpen(id)}
              >
                {t`Open`}
              </Button>
            </li>
          ))}
          {query.data.rows.length === 0 && <li className="apart">{t`No imports yet.`}</li>}
        </ul>
      ) : (
        <Loading query={query} title={t`This could not be loaded`} lines={5} />
      )}
    </Dialog>
  );
}
