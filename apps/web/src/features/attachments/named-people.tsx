/** People by name, with whom a file is shared: looked up while somebody types, listed, taken off again. */
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import {
  findPeopleToShareWith,
  sharedWithMaximum,
  type ShareablePerson,
} from '@vestibule/contract/attachments';
import { useEffect, useEffectEvent, useRef, useState, type KeyboardEvent } from 'react';
import { describeFailure } from '../../language/call-failure.ts';
import { call } from '../../lib/call.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { PersonCell } from '../../ui/person/person.tsx';

const pauseMilliseconds = 250;

const lookUp = async (search: string, signal?: AbortSignal): Promise<ShareablePerson[]> =>
  (await call(findPeopleToShareWith, { query: { search }, ...(signal && { signal }) })).people;

/** Names of people who are being looked up stand apart from what is typed meanwhile: `hopper; knu`. */
const separator = ';';
const partsOf = (typed: string): string[] => typed.split(separator).map((part) => part.trim());

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

type Props = {
  people: readonly ShareablePerson[];
  /** What is in the field. */
  typed: string;
  isAdmin: boolean;
  error: string | undefined;
  onType: (change: (typed: string) => string) => void;
  onChange: (change: (people: ShareablePerson[]) => ShareablePerson[]) => void;
};

export function NamedPeople({ error, ...adding }: Props) {
  const { people, typed, isAdmin, onType, onChange } = adding;
  const { problem, setProblem, add, addTyped } = useAdding(adding);
  const beingTyped = partsOf(typed).at(-1) ?? '';
  const found = useFound(beingTyped, isAdmin).filter((one) => !people.some(({ id }) => id === one.id));

  return (
    <div className="share-people">
      <div className="share-find">
        <TextField
          label={isAdmin ? t`Name or e-mail address` : t`E-mail address`}
          autoComplete="off"
          value={typed}
          error={problem || error}
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            onType(() => value);
            setProblem('');
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown' && found.length > 0) moveFocus(event, 0);
            // Not yet the whole form: first this person.
            if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            addTyped();
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
                  setProblem('');
                  add(person, beingTyped);
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

/** Adds people who were typed or chosen, once they are found. */
function useAdding({ people, typed, isAdmin, onType, onChange }: Omit<Props, 'error'>) {
  const [problem, setProblem] = useState('');
  const asked = useRef(new Set<string>());

  /** While they were looked up, others may have been added, and more typed. */
  const add = useEffectEvent((person: ShareablePerson, search: string) => {
    onType((now) => {
      const others = now.split(separator).filter((part) => part.trim() !== search);
      return others.join(separator).trimStart();
    });
    // What is said of another name stays.
    if (people.length >= sharedWithMaximum)
      setProblem(
        t`A file can be shared with at most ${sharedWithMaximum} people. Share it with everyone instead.`,
      );
    onChange((now) =>
      now.length < sharedWithMaximum && !now.some(({ id }) => id === person.id) ? [...now, person] : now,
    );
  });

  /** Whoever was not added stays in the field, to be corrected or chosen. */
  const keep = (search: string, why: string) => {
    onType((now) => (now.trim() === search + separator ? search : now));
    setProblem(why);
  };

  const addSearched = async (search: string) => {
    try {
      const [only, ...others] = await lookUp(search);
      if (!only)
        return keep(
          search,
          isAdmin
            ? t`No member has this name. Try fewer letters, or invite them first.`
            : t`No member has this address. Enter the full address they sign in with, or ask an administrator to invite them.`,
        );
      if (others.length === 0) return add(only, search);
      return keep(search, t`Choose one from the list.`);
    } catch (failure) {
      return keep(search, describeFailure(failure).message);
    } finally {
      asked.current.delete(search);
    }
  };

  const addTyped = () => {
    const searches = partsOf(typed).filter((part) => part !== '');
    setProblem('');
    if (searches.length === 0) return setProblem(t`Enter an e-mail address.`);
    onType(() => `${searches.join(`${separator} `)}${separator} `);
    for (const search of searches) {
      if (asked.current.has(search)) continue;
      asked.current.add(search);
      void addSearched(search);
    }
    return undefined;
  };

  return { problem, setProblem, add, addTyped };
}

function SharedWith({ people, onChange }: Pick<Props, 'people' | 'onChange'>) {
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
              onChange((now) => now.filter(({ id }) => id !== person.id));
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
          <Trans>Invited: will see it after joining.</Trans>
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
