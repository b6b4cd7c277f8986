import { t } from '@lingui/core/macro';
import { listPeople } from '@vestibule/contract/people';
import { useState } from 'react';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { CloseAction, Dialog } from '../../ui/dialog/dialog.tsx';
import { useDebounced } from '../../ui/events/use-debounced.ts';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { Loading } from '../../ui/states.tsx';

const shownPeople = 5;
const debounceMs = 150;

/** Adds a person of the site (administrators of the site only). */
export function AddMemberDialog({
  name,
  roles,
  onAdd,
  onClose,
}: {
  /** Name of the organization. */
  name: string;
  roles: readonly { value: string; label: string }[];
  onAdd: (personId: string, roleId: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const [typed, setTyped] = useState('');
  const [roleId, setRoleId] = useState('member');
  const search = useDebounced(typed.trim(), debounceMs);
  const isSearching = search.length > 1;
  const people = useApiQuery(listPeople, {
    key: ['people', 'to add', search],
    query: { limit: shownPeople, search },
    enabled: isSearching,
    placeholderData: (previous) => previous,
  });
  return (
    <Dialog title={t`Add a person to ${name}`} onClose={onClose} actions={<CloseAction onClose={onClose} />}>
      <div className="stack">
        <SelectField
          label={t`Role`}
          options={roles}
          value={roleId}
          onChange={(event) => setRoleId(event.target.value)}
        />
        <TextField
          label={t`Name or e-mail`}
          description={t`People of this site. Enter two letters or more.`}
          type="search"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        {isSearching && <Loading query={people} title={t`The people could not be searched`} lines={2} />}
        <RecordList
          empty={people.data && isSearching ? t`No person matches.` : ''}
          entries={(isSearching ? (people.data?.rows ?? []) : []).map((person) => ({
            id: person.id,
            text: person.displayName,
            detail: person.email,
            badges: (
              <Button
                size="small"
                aria-label={t`Add ${person.displayName}`}
                onClick={() => onAdd(person.id, roleId)}
              >
                {t`Add`}
              </Button>
            ),
          }))}
        />
      </div>
    </Dialog>
  );
}
