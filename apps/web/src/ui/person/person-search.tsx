/** Field that finds people by name or address, and the people found, each with a button that adds the person. */
import { t } from '@lingui/core/macro';
import type { ComponentProps } from 'react';
import { Button } from '../button.tsx';
import { TextField } from '../fields/field.tsx';
import { RecordList } from '../record-list.tsx';
import { Loading } from '../states.tsx';

export function PersonSearch<Person extends { id: string; displayName: string; email: string }>({
  typed,
  onType,
  query,
  onAdd,
}: {
  typed: string;
  onType: (typed: string) => void;
  /** Null while too little is typed. */
  query:
    | (ComponentProps<typeof Loading>['query'] & { data?: { rows: readonly Person[] } | undefined })
    | null;
  onAdd: (person: Person) => unknown;
}) {
  return (
    <>
      <TextField
        label={t`Name or e-mail`}
        description={t`People of this site. Enter two letters or more.`}
        type="search"
        autoComplete="off"
        value={typed}
        onChange={(event) => onType(event.target.value)}
      />
      {query && <Loading query={query} title={t`The people could not be searched`} lines={2} />}
      <RecordList
        empty={query?.data ? t`No person matches.` : ''}
        entries={(query?.data?.rows ?? []).map((person) => ({
          id: person.id,
          text: person.displayName,
          detail: person.email,
          badges: (
            <Button size="small" aria-label={t`Add ${person.displayName}`} onClick={() => onAdd(person)}>
              {t`Add`}
            </Button>
          ),
        }))}
      />
    </>
  );
}
