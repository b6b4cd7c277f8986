/** People by name, with whom a file is shared: looked up while somebody types, listed, taken off again. */
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import {
  findPeopleToShareWith,
  sharedWithMaximum,
  type ShareablePerson,
} from '@vestibule/contract/attachments';
import { useEffect, useEffectEvent, useState, type KeyboardEvent } from 'react';
import { describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { PersonCell } from '../../ui/person/person.tsx';

const pauseMilliseconds = 250;

const lookUp = async (search: string, signal?: AbortSignal): Promise<ShareablePerson[]> =>
  (await call(findPeopleToShareWith, { query: { search }, ...(signal && { signal }) })).people;

/** Who is found while something is typed: administrators find by a part, members by the whole address. */
function useFound(typed: string, isAdmin: boolean): ShareablePerson[] {
  const [found, setFound] = useState<{ search: string; people: ShareablePerson[] } | null>(null);
  const search = typed.trim();
  const isEnough = isAdmin ? search.length > 1 : /^\S+@\S+\.\S{2,}$/.test(search);
  useEffect(() => {
    if (!isEnough) return undefined;
    const leaving = new AbortController();
    const timer = setTimeout(() => {
      lookUp(search, leaving.signal).then(
        (people) => setFound({ search, people }),
        // It is told when somebody is added.
        () => {},
      );
    }, pauseMilliseconds);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [search, isEnough]);
  return isEnough && found?.search === search ? found.people : [];
}

export function NamedPeople({
  people,
  typed,
  isAdmin,
  error,
  onType,
  onChange,
}: {
  people: readonly ShareablePerson[];
  /** What is in the field. */
  typed: string;
  isAdmin: boolean;
  error: string | undefined;
  onType: (typed: string) => void;
  onChange: (people: ShareablePerson[]) => void;
}) {
  const [problem, setProblem] = useState('');
  const found = useFound(typed, isAdmin).filter((one) => !people.some(({ id }) => id === one.id));

  /** While they were looked up, others may have been added, and more typed. */
  const add = useEffectEvent((person: ShareablePerson, search = typed.trim()) => {
    if (typed.trim() === search) onType('');
    setProblem('');
    if (people.length >= sharedWithMaximum)
      setProblem(
        t`A file can be shared with at most ${sharedWithMaximum} people. Share it with everyone instead.`,
      );
    else if (!people.some(({ id }) => id === person.id)) onChange([...people, person]);
  });

  const addTyped = async () => {
    const search = typed.trim();
    setProblem('');
    if (search === '') return setProblem(t`Enter an e-mail address.`);
    try {
      const [only, ...others] = await lookUp(search);
      if (!only)
        return setProblem(
          isAdmin
            ? t`No member has this name. Try fewer letters, or invite them first.`
            : t`No member has this address. Enter the full address they sign in with, or ask an administrator to invite them.`,
        );
      if (others.length === 0) return add(only, search);
      return setProblem(t`Choose one of those below.`);
    } catch (failure) {
      return setProblem(describeFailure(failure).message);
    }
  };

  return (
    <div className="share-people">
      <div className="share-find">
        <TextField
          label={isAdmin ? t`Name or e-mail address` : t`E-mail address`}
          autoComplete="off"
          value={typed}
          error={problem || error}
          onChange={({ currentTarget }) => {
            onType(currentTarget.value);
            setProblem('');
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown' && found.length > 0) moveFocus(event, 0);
            // Not yet the whole form: first this person.
            if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            void addTyped();
          }}
        />
        <Button onClick={addTyped}>{t`Add`}</Button>
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
          <Button
            size="small"
            variant="quiet"
            aria-label={t`Remove ${person.displayName}`}
            onClick={({ currentTarget }) => {
              focusField(currentTarget);
              onChange(people.filter((one) => one !== person));
            }}
          >
            <Trans>Remove</Trans>
          </Button>
        </li>
      ))}
    </ul>
  );
}

function Named({ person: { id, displayName, email, invited } }: { person: ShareablePerson }) {
  return (
    <>
      <PersonCell person={{ id, name: displayName === email ? '' : displayName, email }} />
      {invited && (
        <small className="share-invited">
          <Trans>Invited: will see it when they come in.</Trans>
        </small>
      )}
    </>
  );
}

/** Up and down among those found; above the first one is the field. */
function moveFocus(event: KeyboardEvent<HTMLElement>, index: number): void {
  event.preventDefault();
  const box = event.currentTarget.closest('.share-people');
  if (index < 0) focusField(event.currentTarget);
  else box?.querySelectorAll<HTMLElement>('.share-found button')[index]?.focus();
}

/** What goes away when it is pressed leaves the focus to the field. */
function focusField(inBox: Element): void {
  inBox.closest('.share-people')?.querySelector('input')?.focus();
}
