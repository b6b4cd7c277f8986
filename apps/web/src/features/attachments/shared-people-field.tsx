/** Field and list of the people a file is shared with. Names are looked up while the user types. */
import { t } from '@lingui/core/macro';
import { Plural } from '@lingui/react/macro';
import { findPeopleToShareWith, type ShareablePerson } from '@vestibule/contract/attachments';
import { useState, type KeyboardEvent } from 'react';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { toFormErrors } from '../../language/field-errors.ts';
import { Button, QuietButton } from '../../ui/button.tsx';
import { useDebounced } from '../../lib/use-debounced.ts';
import { TextField } from '../../ui/fields/field.tsx';
import type { FieldErrors } from '../../ui/fields/use-form.ts';
import { PersonCell } from '../../ui/person/person.tsx';
import { useBusy } from '../../ui/use-busy.ts';

const lookupDelayMs = 250;

/** Returns people who match the typed text: any part for administrators, the whole address for members. */
function useMatches(typed: string, isAdmin: boolean): ShareablePerson[] {
  const search = useDebounced(typed.trim(), lookupDelayMs);
  const isEnough = isAdmin ? search !== '' : /^\S+@\S+\.\S{2,}$/.test(search);
  // An error is shown when the person is added.
  const { data } = useApiQuery(findPeopleToShareWith, {
    key: ['people to share with', search],
    query: { search },
    enabled: isEnough,
    staleTime: 0,
  });
  return isEnough && search === typed.trim() ? (data?.people ?? []) : [];
}

export function SharedPeopleField({
  people,
  typed,
  isAdmin,
  errors,
  onType,
  onChange,
}: {
  people: readonly ShareablePerson[];
  /** Text of the field: a name or an address. */
  typed: string;
  isAdmin: boolean;
  errors: FieldErrors;
  onType: (typed: string) => void;
  onChange: (people: ShareablePerson[]) => void;
}) {
  const [problem, setProblem] = useState('');
  const found = withoutAdded(people, useMatches(typed, isAdmin));

  const add = (person: ShareablePerson) => {
    setProblem('');
    onType('');
    onChange([...people, person]);
  };
  /** Adds the person named in the field, unless several people or none are found. */
  const [addTyped, isAdding] = useBusy(async () => {
    const search = typed.trim();
    if (search === '') return setProblem(t`Enter an e-mail address.`);
    try {
      const matches = (await call(findPeopleToShareWith, { query: { search } })).people;
      const [person, ...others] = withoutAdded(people, matches);
      if (person && others.length === 0) return add(person);
      return setProblem(person ? t`Choose one from the list.` : notFoundText(matches.length > 0, isAdmin));
    } catch (failure) {
      return setProblem(Object.values(toFormErrors(failure)).join(' '));
    }
  });

  return (
    <div className="share-people">
      <div className="share-find">
        <TextField
          label={isAdmin ? t`Name or e-mail address` : t`E-mail address`}
          inputMode="email"
          autoComplete="off"
          data-autofocus
          value={typed}
          readOnly={isAdding}
          error={problem || errors['typed'] || errors['people']}
          onChange={({ currentTarget }) => {
            onType(currentTarget.value);
            setProblem('');
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown' && found.length > 0) moveFocus(event, 0);
            // Enter adds the person instead of submitting the form.
            if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            addTyped();
          }}
        />
        <Button busy={isAdding} onClick={addTyped}>{t`Add`}</Button>
      </div>
      {found.length > 0 && (
        <ul className="share-found" aria-label={t`Found`}>
          {found.map((person, index) => (
            <li key={person.id}>
              <button
                type="button"
                onClick={({ currentTarget }) => {
                  focusField(currentTarget);
                  add(person);
                }}
                onKeyDown={(event) => {
                  if (event.key === 'ArrowDown') moveFocus(event, index + 1);
                  if (event.key === 'ArrowUp') moveFocus(event, index - 1);
                }}
              >
                <Named person={person} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {people.length > 0 && <SharedWith people={people} onChange={onChange} />}
      <output className="visually-hidden">
        {found.length > 0 && (
          <Plural value={found.length} one="# person found." other="# people found. Choose one." />
        )}
      </output>
    </div>
  );
}

function notFoundText(isAdded: boolean, isAdmin: boolean): string {
  if (isAdded)
    return t`Everyone found by this name has been added already. To find others, enter more of the name.`;
  return isAdmin
    ? t`No member has this name. Try fewer letters, or invite them first.`
    : t`No member has this address. Enter the full address they sign in with, or ask an administrator to invite them.`;
}

const withoutAdded = (people: readonly ShareablePerson[], found: readonly ShareablePerson[]) =>
  found.filter((person) => !people.some(({ id }) => id === person.id));

function SharedWith({
  people,
  onChange,
}: {
  people: readonly ShareablePerson[];
  onChange: (people: ShareablePerson[]) => void;
}) {
  return (
    <ul className="share-list" aria-label={t`Shared with`}>
      {people.map((person) => (
        <li key={person.id}>
          <span>
            <Named person={person} />
          </span>
          <QuietButton
            aria-label={t`Remove ${person.displayName}`}
            onClick={({ currentTarget }) => {
              focusField(currentTarget);
              onChange(people.filter(({ id }) => id !== person.id));
            }}
          >
            {t`Remove`}
          </QuietButton>
        </li>
      ))}
    </ul>
  );
}

function Named({ person: { id, displayName, email, invited } }: { person: ShareablePerson }) {
  return (
    <>
      <PersonCell person={{ id, name: displayName === email ? '' : displayName, email }} />
      {invited && <small className="share-invited">{t`Invited: will see it after joining.`}</small>}
    </>
  );
}

/** Moves the focus to the result with this index, or to the field if the index is negative. */
function moveFocus(event: KeyboardEvent<HTMLElement>, index: number): void {
  event.preventDefault();
  const box = event.currentTarget.closest('.share-people');
  if (index < 0) focusField(event.currentTarget);
  else box?.querySelectorAll<HTMLElement>('.share-found button')[index]?.focus();
}

/** Focuses the field, for use before the focused element is removed. */
function focusField(inBox: Element): void {
  inBox.closest('.share-people')?.querySelector('input')?.focus();
}
