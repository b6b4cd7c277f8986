/** With whom a file is shared: nobody, everyone, or people by name. */
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import {
  findPeopleToShareWith,
  listShares,
  shareAttachment,
  sharedWithMaximum,
  type Attachment,
  type ShareablePerson,
  type Sharing,
} from '@vestibule/contract/attachments';
import { useState } from 'react';
import { describeFailure } from '../../lib/call-failure.ts';
import { fieldErrorsOf } from '../../lib/field-errors.ts';
import { call } from '../../lib/call.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { FormDialog } from '../../ui/fields/form-dialog.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { useForm } from '../../ui/fields/use-form.ts';
import { copyLink, ofAttachment } from './attachment-changes.ts';
import { sharingFact } from './attachment-words.ts';
import './attachments.css';

type ShareDialogProps = {
  file: Attachment;
  /** Administrators find people by a part of the name, members by the whole address. */
  isAdmin: boolean;
  onDone: () => void;
  onClose: () => void;
};

const choices = (): { sharing: Sharing; label: string; description: string }[] => [
  { sharing: 'nobody', label: t`Nobody`, description: t`Only you can open it.` },
  { sharing: 'everyone', label: t`Everyone here`, description: t`Including people who join later.` },
  { sharing: 'people', label: t`Specific people`, description: t`Only the people listed below.` },
];

export default function ShareDialog(props: ShareDialogProps) {
  const { file, onClose } = props;
  const shares = useQuery({
    queryKey: ['attachment', file.id, 'sharing'],
    queryFn: ({ signal }) => call(listShares, { params: { attachmentId: file.id }, signal }),
    gcTime: 0,
    staleTime: 0,
  });
  if (shares.data) return <ShareForm {...props} first={shares.data} />;
  return (
    <Dialog title={t`Share ${file.name}`} onClose={onClose}>
      {shares.isPending ? (
        <Skeleton lines={5} />
      ) : (
        <Failure
          title={t`Sharing could not be loaded`}
          {...describeFailure(shares.error)}
          onRetry={() => shares.refetch()}
        />
      )}
    </Dialog>
  );
}

type Values = { sharing: Sharing; people: ShareablePerson[] };

function ShareForm({ file, isAdmin, first, onDone, onClose }: ShareDialogProps & { first: Values }) {
  const form = useForm<Values>({
    initial: first,
    validate: ({ sharing, people }) =>
      sharing === 'people' && people.length === 0
        ? { find: t`Add at least one person, or choose “Nobody”.` }
        : {},
    async onSubmit({ sharing, people }) {
      try {
        const personIds = sharing === 'people' ? people.map(({ id }) => id) : [];
        const saved = await call(shareAttachment, { ...ofAttachment(file), body: { sharing, personIds } });
        toast.success(
          `${saved.name}: ${sharingFact(saved)}.`,
          saved.sharing === 'nobody'
            ? {}
            : { action: { label: t`Copy link`, onClick: () => copyLink(saved) } },
        );
        onDone();
        return undefined;
      } catch (error) {
        return fieldErrorsOf(error);
      }
    },
  });
  const { sharing, people } = form.values;

  return (
    <FormDialog form={form} title={t`Share ${file.name}`} onClose={onClose} submit={t`Save`}>
      <fieldset className="share-choices">
        <legend>{t`Who can open it, besides you`}</legend>
        {choices().map((choice) => (
          <label key={choice.sharing}>
            <input
              type="radio"
              name="sharing"
              checked={sharing === choice.sharing}
              onChange={() => form.set('sharing', choice.sharing)}
            />
            <span>
              {choice.label}
              <small>{choice.description}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {sharing === 'people' && (
        <NamedPeople people={people} isAdmin={isAdmin} onChange={(next) => form.set('people', next)} />
      )}
    </FormDialog>
  );
}

function NamedPeople({
  people,
  isAdmin,
  onChange,
}: {
  people: readonly ShareablePerson[];
  isAdmin: boolean;
  onChange: (people: ShareablePerson[]) => void;
}) {
  const [typed, setTyped] = useState('');
  const [found, setFound] = useState<ShareablePerson[]>([]);
  const [problem, setProblem] = useState('');

  const add = (person: ShareablePerson) => {
    setFound([]);
    setTyped('');
    setProblem('');
    if (people.length >= sharedWithMaximum)
      setProblem(
        t`A file can be shared with at most ${sharedWithMaximum} people. Share it with everyone instead.`,
      );
    else if (!people.some(({ id }) => id === person.id)) onChange([...people, person]);
  };

  const find = async () => {
    const search = typed.trim();
    setProblem('');
    setFound([]);
    if (search === '') return setProblem(t`Enter an e-mail address.`);
    try {
      const answer = await call(findPeopleToShareWith, { query: { search } });
      const [only] = answer.people;
      if (!only)
        return setProblem(
          isAdmin
            ? t`No member has this name. Try fewer letters, or invite them first.`
            : t`No member has this address. Enter the full address they sign in with, or ask an administrator to invite them.`,
        );
      if (answer.people.length === 1) return add(only);
      return setFound(answer.people);
    } catch (error) {
      return setProblem(describeFailure(error).message);
    }
  };

  return (
    <div className="share-people">
      <div className="share-find">
        <TextField
          label={isAdmin ? t`Name or e-mail address` : t`E-mail address`}
          autoComplete="off"
          value={typed}
          error={problem || undefined}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // Not yet the whole form: first this person.
            event.preventDefault();
            void find();
          }}
        />
        <Button onClick={find}>{t`Add`}</Button>
      </div>
      {found.length > 0 && (
        <ul className="share-found" aria-label={t`Found`}>
          {found.map((person) => (
            <li key={person.id}>
              <button type="button" onClick={() => add(person)}>
                {person.displayName} <small>{person.email}</small>
              </button>
            </li>
          ))}
        </ul>
      )}
      {people.length > 0 && (
        <ul className="share-list" aria-label={t`Shared with`}>
          {people.map((person) => (
            <li key={person.id}>
              <span>
                {person.displayName} <small>{person.email}</small>
              </span>
              <Button
                size="small"
                variant="quiet"
                aria-label={t`Remove ${person.displayName}`}
                onClick={() => onChange(people.filter((one) => one !== person))}
              >
                <Trans>Remove</Trans>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <output className="visually-hidden">
        {found.length > 0 && (
          <Plural value={found.length} one="# person found." other="# people found. Choose one." />
        )}
      </output>
    </div>
  );
}
