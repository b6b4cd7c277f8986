/** Field and list of the people a file is shared with. Names are looked up while the user types. */
import { t } from '@lingui/core/macro';
import { Plural } from '@lingui/react/macro';
import { findPeopleToShareWith, type ShareablePerson } from '@vestibule/contract/attachments';
import { useEffect, useState, type KeyboardEvent } from 'react';
import { call } from '../../lib/call.ts';
import { toFormErrors } from '../../language/field-errors.ts';
import { Button, QuietButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import type { FieldErrors } from '../../ui/fields/use-form.ts';
import { PersonCell } from '../../ui/person/person.tsx';
import {
  separateNames,
  isNameFinished,
  unresolvedName,
  parseNames,
  withoutLastSeparator,
  withoutName,
} from './typed-names.ts';

const lookupDelayMs = 250;

const lookUp = async (search: string, signal?: AbortSignal): Promise<ShareablePerson[]> =>
  (await call(findPeopleToShareWith, { query: { search }, ...(signal && { signal }) })).people;

/** Result of a lookup: the person, or the reason why no person was found. */
type LookupResult = { name: string; person: ShareablePerson } | { name: string; reason: string };

/** Pending lookups by name. */
export type Lookups = Map<string, Promise<LookupResult>>;

/** Returns people who match the typed text: any part for administrators, the whole address for members. */
function useMatches(typed: string, isAdmin: boolean): ShareablePerson[] {
  const [found, setFound] = useState<{ search: string; people: ShareablePerson[] } | null>(null);
  const search = typed.trim();
  const isEnough = isAdmin ? search !== '' : /^\S+@\S+\.\S{2,}$/.test(search);
  useEffect(() => {
    if (!isEnough) return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      lookUp(search, controller.signal).then(
        (people) => setFound({ search, people }),
        // The error is shown when the person is added.
        () => {},
      );
    }, lookupDelayMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [search, isEnough]);
  return isEnough && found?.search === search ? found.people : [];
}

type Props = {
  people: readonly ShareablePerson[];
  /** Text of the field. */
  typed: string;
  isAdmin: boolean;
  /** Mutated in place, but only together with a change of `typed`. */
  lookups: Lookups;
  onType: (change: (typed: string) => string) => void;
  onChange: (change: (people: ShareablePerson[]) => ShareablePerson[]) => void;
};

export function SharedPeopleField({ errors, ...adding }: Props & { errors: FieldErrors }) {
  const { people, typed, isAdmin, lookups, onType, onChange } = adding;
  const { problem, setProblem, add, addTyped } = useAddPerson(adding);
  const unresolved = unresolvedName(typed, (name) => lookups.has(name));
  const matching = useMatches(unresolved, isAdmin);
  const found = withoutAdded(people, matching);
  // People may have been added since the message was set.
  const isEveryMatchAdded = problem === chooseOne() && matching.length > 0 && found.length === 0;

  return (
    <div className="share-people">
      <div className="share-find">
        <TextField
          label={isAdmin ? t`Name or e-mail address` : t`E-mail address`}
          autoComplete="off"
          data-autofocus
          value={typed}
          error={errors['typed'] || (isEveryMatchAdded ? allAdded() : problem) || errors['people']}
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            onType(() => value);
            if (isNameFinished(typed, value)) addTyped(value);
            else setProblem('');
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown' && found.length > 0) moveFocus(event, 0);
            if (
              event.key === 'Backspace' &&
              isAtEnd(event.currentTarget) &&
              withoutLastSeparator(typed) !== typed
            ) {
              event.preventDefault();
              onType(withoutLastSeparator);
            }
            // Enter adds the person instead of submitting the form.
            if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            addTyped(typed);
          }}
        />
        <Button onClick={() => addTyped(typed)}>{t`Add`}</Button>
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
                  add(person, unresolved);
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

/** Adds typed or selected people after their lookup. */
function useAddPerson({ people, isAdmin, lookups, onType, onChange }: Props) {
  const [problem, setProblem] = useState('');

  /** Uses updater functions: the list and the text may have changed during the lookup. */
  const add = (person: ShareablePerson, name: string) => {
    onType((now) => withoutName(now, name));
    onChange((now) => withPerson(now, person));
  };

  /** Names without a result stay in the field, separated from text that is typed later. */
  const lookUpTyped = async (name: string): Promise<LookupResult> => {
    const answer = await findPerson(name, people, isAdmin);
    lookups.delete(name);
    if ('person' in answer) add(answer.person, name);
    else {
      // Renders again without the pending lookup, so that matches are shown.
      onType((now) => now);
      setProblem(answer.reason);
    }
    return answer;
  };

  const addTyped = (typed: string) => {
    const names = parseNames(typed);
    setProblem('');
    if (names.length === 0) {
      onType(() => '');
      return setProblem(t`Enter an e-mail address.`);
    }
    for (const name of names) if (!lookups.has(name)) lookups.set(name, lookUpTyped(name));
    return onType(separateNames);
  };

  return { problem, setProblem, add, addTyped };
}

const chooseOne = () => t`Choose one from the list.`;
const allAdded = () =>
  t`Everyone found by this name has been added already. To find others, enter more of the name.`;

async function findPerson(
  name: string,
  people: readonly ShareablePerson[],
  isAdmin: boolean,
): Promise<LookupResult> {
  try {
    const found = await lookUp(name);
    const [person, ...others] = found;
    if (person && others.length === 0) return { name, person };
    if (withoutAdded(people, found).length > 0) return { name, reason: chooseOne() };
    if (person) return { name, reason: allAdded() };
    const reason = isAdmin
      ? t`No member has this name. Try fewer letters, or invite them first.`
      : t`No member has this address. Enter the full address they sign in with, or ask an administrator to invite them.`;
    return { name, reason };
  } catch (failure) {
    return { name, reason: Object.values(toFormErrors(failure)).join(' ') };
  }
}

function withoutAdded(people: readonly ShareablePerson[], found: readonly ShareablePerson[]) {
  return found.filter((person) => !people.some(({ id }) => id === person.id));
}

/** Adds the person if absent. The list may then exceed the maximum, which the form validates. */
export function withPerson(people: readonly ShareablePerson[], person: ShareablePerson): ShareablePerson[] {
  return people.some(({ id }) => id === person.id) ? [...people] : [...people, person];
}

function SharedWith({ people, onChange }: Pick<Props, 'people' | 'onChange'>) {
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
              onChange((now) => now.filter(({ id }) => id !== person.id));
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

const isAtEnd = ({ value, selectionStart, selectionEnd }: HTMLInputElement) =>
  selectionStart === value.length && selectionEnd === value.length;

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
