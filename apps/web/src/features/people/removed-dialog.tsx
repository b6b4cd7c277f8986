/** Removed people: handing over their remaining files, and erasing their data. */
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import {
  erasePerson,
  handOverFiles,
  listRemovedPeople,
  type RemovedPerson,
} from '@vestibule/contract/people/removed';
import { useState } from 'react';
import { describeFailure } from '../../language/call-failure.ts';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { Loading } from '../../ui/states.tsx';
import { PersonCell } from '../../ui/person/person.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import './people.css';

type RequestedAction =
  | { what: 'erase'; person: RemovedPerson | null }
  | { what: 'handOver'; person: RemovedPerson };

const pageSize = 100;

export function RemovedDialog({ onClose }: { onClose: () => void }) {
  const [requestedAction, setRequestedAction] = useState<RequestedAction | null>(null);
  const [search, setSearch] = useState('');
  const people = useApiQuery(listRemovedPeople, {
    key: ['removed-people', search],
    query: { limit: pageSize, ...(search !== '' && { search }) },
    gcTime: 0,
    staleTime: 0,
    placeholderData: (before) => before,
  });
  if (requestedAction)
    return (
      <AddressDialog
        {...requestedAction}
        onClose={() => {
          setRequestedAction(null);
          void people.refetch();
        }}
      />
    );
  return (
    <Dialog
      title={t`Removed people`}
      onClose={onClose}
      actions={
        <>
          <Button
            onClick={() => setRequestedAction({ what: 'erase', person: null })}
          >{t`Erase by address…`}</Button>
          <Button onClick={onClose}>{t`Close`}</Button>
        </>
      }
    >
      <div className="people-stack">
        <TextField
          label={t`Search`}
          type="search"
          autoComplete="off"
          maxLength={200}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Loading query={people} title={t`The list could not be loaded`} lines={4} />
        {people.data && (
          <RecordList
            label={t`Removed people`}
            empty={search === '' ? t`No removed people are on record.` : t`Try fewer or different words.`}
            entries={people.data.rows.map((person) => ({
              id: person.id,
              text: <PersonCell person={{ ...person, name: person.displayName }} />,
              detail: detailOf(person),
              badges: (
                <span className="people-removed-actions">
                  {person.files > 0 && (
                    <Button
                      size="small"
                      onClick={() => setRequestedAction({ what: 'handOver', person })}
                      aria-label={`${t`Hand over files…`} ${person.email}`}
                    >{t`Hand over files…`}</Button>
                  )}
                  <Button
                    size="small"
                    onClick={() => setRequestedAction({ what: 'erase', person })}
                    aria-label={`${t`Erase…`} ${person.email}`}
                  >{t`Erase…`}</Button>
                </span>
              ),
            }))}
          />
        )}
      </div>
    </Dialog>
  );
}

function detailOf({ remover, removedAt, files, filesGoAt, ...person }: RemovedPerson) {
  const removedBy = remover?.displayName ?? person.removedBy;
  return (
    <>
      <Trans>
        Removed by {removedBy}, <Moment at={removedAt} />
      </Trans>
      {filesGoAt !== null && (
        <>
          <br />
          <Trans>
            <Plural value={files} one="# file" other="# files" />, deleted <Moment at={filesGoAt} ends />
          </Trans>
        </>
      )}
    </>
  );
}

function AddressDialog({ what, person, onClose }: RequestedAction & { onClose: () => void }) {
  const [address, setAddress] = useState('');
  const [error, setError] = useState<string>();
  const confirm = async () => {
    const typed = address.trim();
    if (what === 'erase' && person && typed.toLowerCase() !== person.email.toLowerCase()) {
      setError(t`Enter the address exactly as shown above.`);
      return;
    }
    try {
      if (what === 'erase') {
        const { pseudonym, missingFiles } = await call(erasePerson, { body: { email: typed } });
        toast.success(t`Erased. ${pseudonym} now takes their place.`);
        if (missingFiles.length > 0)
          toast.failure(
            t`These archived files were not found: ${missingFiles.join(', ')}. Restore them and erase the address again, or delete them.`,
          );
      } else {
        const { files } = await call(handOverFiles, { params: { personId: person.id }, body: { to: typed } });
        toast.success(t`Files handed over: ${files}`);
      }
      onClose();
    } catch (failure) {
      setError(describeFailure(failure).message);
    }
  };
  const isErasing = what === 'erase';
  return (
    <ConfirmDialog
      title={isErasing ? t`Erase someone` : t`Hand over files`}
      confirm={isErasing ? t`Erase` : t`Hand over`}
      danger={isErasing}
      onConfirm={confirm}
      onClose={onClose}
    >
      {isErasing && (
        <p>
          <Trans>
            A pseudonym replaces their name and address everywhere, including the activity log and its
            archive. Their network addresses and browsers are deleted. This cannot be undone.
          </Trans>
        </p>
      )}
      {person && <p>{person.email}</p>}
      <TextField
        label={isErasing ? t`Their e-mail address` : t`Hand over to`}
        type="email"
        autoComplete="off"
        value={address}
        error={error}
        onChange={(event) => {
          setAddress(event.currentTarget.value);
          setError(undefined);
        }}
      />
    </ConfirmDialog>
  );
}
