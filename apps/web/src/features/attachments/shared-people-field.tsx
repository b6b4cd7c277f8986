/** People by name, with whom a file is shared: looked up while somebody types, listed, taken off again. */
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
import { asAsked, isFinished, lookedFor, namesIn, withoutEnd, withoutName } from './typed-names.ts';

const pauseMilliseconds = 250;

const lookUp = async (search: string, signal?: AbortSignal): Promise<ShareablePerson[]> =>
  (await call(findPeopleToShareWith, { query: { search }, ...(signal && { signal }) })).people;

/** What became of a name that was looked up: somebody, or why not. */
type Answer = { name: string; person: ShareablePerson } | { name: string; why: string };

/** The names that are being looked up. */
export type Lookups = Map<string, Promise<Answer>>;

/** Who is found while something is typed: administrators find by a part, members by the whole address. */
function useFound(typed: string, isAdmin: boolean): ShareablePerson[] {
  const [found, setFound] = useState<{ search: string; people: ShareablePerson[] } | null>(null);
  const search = typed.trim();
  const isEnough = isAdmin ? search !== '' : /^\S+@\S+\.\S{2,}$/.test(search);
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
  /** Changes only together with what is typed. */
  lookups: Lookups;
  onType: (change: (typed: string) => string) => void;
  onChange: (change: (people: ShareablePerson[]) => ShareablePerson[]) => void;
};

export function NamedPeople({ errors, ...adding }: Props & { errors: FieldErrors }) {
  const { people, typed, isAdmin, lookups, onType, onChange } = adding;
  const { problem, setProblem, add, addTyped } = useAdding(adding);
  const beingTyped = lookedFor(typed, (name) => lookups.has(name));
  const matching = useFound(beingTyped, isAdmin);
  const found = notYetAmong(people, matching);
  // Others may have been added since it was said.
  const nobodyLeft = problem === chooseOne() && matching.length > 0 && found.length === 0;

  return (
    <div className="share-people">
      <div className="share-find">
        <TextField
          label={isAdmin ? t`Name or e-mail address` : t`E-mail address`}
          autoComplete="off"
          data-autofocus
          value={typed}
          error={errors['typed'] || (nobodyLeft ? allAdded() : problem) || errors['people']}
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            onType(() => value);
            if (isFinished(typed, value)) addTyped(value);
            else setProblem('');
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown' && found.length > 0) moveFocus(event, 0);
            if (event.key === 'Backspace' && isAtEnd(event.currentTarget) && withoutEnd(typed) !== typed) {
              event.preventDefault();
              onType(withoutEnd);
            }
            // Not yet the whole form: first this person.
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
function useAdding({ people, isAdmin, lookups, onType, onChange }: Props) {
  const [problem, setProblem] = useState('');

  /** While they were looked up, others may have been added, and more typed. What is said of another name stays. */
  const add = (person: ShareablePerson, name: string) => {
    onType((now) => withoutName(now, name));
    onChange((now) => withPerson(now, person));
  };

  /** Whoever was not added stays in the field, to be corrected or chosen, and apart: the next name may be on its way to the keys. */
  const lookUpTyped = async (name: string): Promise<Answer> => {
    const answer = await answerTo(name, people, isAdmin);
    lookups.delete(name);
    if ('person' in answer) add(answer.person, name);
    else {
      // It is no longer looked up, so that those who have it are shown.
      onType((now) => now);
      setProblem(answer.why);
    }
    return answer;
  };

  const addTyped = (typed: string) => {
    const names = namesIn(typed);
    setProblem('');
    if (names.length === 0) {
      onType(() => '');
      return setProblem(t`Enter an e-mail address.`);
    }
    for (const name of names) if (!lookups.has(name)) lookups.set(name, lookUpTyped(name));
    return onType(asAsked);
  };

  return { problem, setProblem, add, addTyped };
}

const chooseOne = () => t`Choose one from the list.`;
const allAdded = () =>
  t`Everyone found by this name has been added already. To find others, enter more of the name.`;

async function answerTo(name: string, people: readonly ShareablePerson[], isAdmin: boolean): Promise<Answer> {
  try {
    const found = await lookUp(name);
    const [person, ...others] = found;
    if (person && others.length === 0) return { name, person };
    if (notYetAmong(people, found).length > 0) return { name, why: chooseOne() };
    if (person) return { name, why: allAdded() };
    const why = isAdmin
      ? t`No member has this name. Try fewer letters, or invite them first.`
      : t`No member has this address. Enter the full address they sign in with, or ask an administrator to invite them.`;
    return { name, why };
  } catch (failure) {
    return { name, why: Object.values(toFormErrors(failure)).join(' ') };
  }
}

function notYetAmong(people: readonly ShareablePerson[], found: readonly ShareablePerson[]) {
  return found.filter((one) => !people.some(({ id }) => id === one.id));
}

/** Also one too many, which is refused as long as it is there. */
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
