/** With whom a file is shared, or several alike: nobody, everyone, or people by name. */
import { t } from '@lingui/core/macro';
import {
  listShares,
  shareAttachment,
  sharedWithMaximum,
  type Attachment,
  type ShareablePerson,
  type Sharing,
} from '@vestibule/contract/attachments';
import { useState } from 'react';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { Loading } from '../../ui/loading.tsx';
import { FormDialog } from '../../ui/fields/form-dialog.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { useForm, type FieldErrors } from '../../ui/fields/use-form.ts';
import { copyLink, ofAttachment } from './attachment-changes.ts';
import { countOf, sharingFact } from './attachment-texts.ts';
import { NamedPeople, withPerson, type Lookups } from './shared-people-field.tsx';
import { namesIn } from './typed-names.ts';
import './attachments.css';

type ShareDialogProps = {
  /** One, which shows with whom it is shared, or several. */
  files: readonly [Attachment, ...Attachment[]];
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

const titleOf = ([file, ...more]: ShareDialogProps['files']) =>
  more.length === 0 ? t`Share ${file.name}` : t`Share ${countOf(more.length + 1)}`;

export default function ShareDialog(props: ShareDialogProps) {
  return props.files.length === 1 ? (
    <ShareOne {...props} />
  ) : (
    <ShareForm {...props} first={{ sharing: 'people', people: [] }} />
  );
}

function ShareOne(props: ShareDialogProps) {
  const { files, onClose } = props;
  const [file] = files;
  const shares = useApiQuery(listShares, {
    key: ['attachment', file.id, 'sharing'],
    params: { attachmentId: file.id },
    gcTime: 0,
    staleTime: 0,
  });
  if (shares.data) return <ShareForm {...props} first={shares.data} />;
  return (
    <Dialog title={titleOf(files)} onClose={onClose}>
      <Loading query={shares} title={t`Sharing could not be loaded`} lines={5} />
    </Dialog>
  );
}

type Values = { sharing: Sharing; people: ShareablePerson[] };
/** `typed` is whoever is looked for and not listed yet. */
type Entered = Values & { typed: string };

function problemOf({ length }: readonly ShareablePerson[]): FieldErrors {
  if (length > sharedWithMaximum)
    return {
      people: t`A file can be shared with at most ${sharedWithMaximum} people. Share it with everyone instead.`,
    };
  return length === 0 ? { people: t`Add at least one person, or choose “Nobody”.` } : {};
}

function ShareForm({ files, isAdmin, first, onDone, onClose }: ShareDialogProps & { first: Values }) {
  const [lookups] = useState<Lookups>(() => new Map());
  const form = useForm<Entered>({
    initial: { ...first, typed: '' },
    validate({ sharing, people, typed }): FieldErrors {
      if (sharing !== 'people') return {};
      if (namesIn(typed).some((name) => !lookups.has(name)))
        return { typed: t`Add the person you typed, or clear the field.` };
      return lookups.size === 0 ? problemOf(people) : {};
    },
    async onSubmit({ sharing, people }) {
      // Whoever was typed just before is waited for.
      const answers = sharing === 'people' ? await Promise.all(lookups.values()) : [];
      const left = answers.flatMap((one) => ('why' in one ? `${one.name}: ${one.why}` : []));
      if (left.length > 0) return { typed: left.join(' ') };
      const found = answers.flatMap((one) => ('person' in one ? one.person : []));
      const named = sharing === 'people' ? found.reduce(withPerson, people) : [];
      const problem = sharing === 'people' ? problemOf(named) : {};
      if (Object.keys(problem).length > 0) return problem;
      const body = {
        sharing,
        personIds: named.flatMap(({ id, invited }) => (invited ? [] : [id])),
        ...(isAdmin && { invitationIds: named.flatMap(({ id, invited }) => (invited ? [id] : [])) }),
      };
      const [file, ...more] = files;
      // Several are shared alike whatever was before: saving again after a failure in the middle does the same to all.
      const { params, query } = ofAttachment(file);
      const saved = await call(shareAttachment, { params, body, ...(more.length === 0 && { query }) });
      for (const { id } of more) await call(shareAttachment, { params: { attachmentId: id }, body });
      toast.success(
        `${more.length === 0 ? saved.name : countOf(files.length)}: ${sharingFact(saved)}.`,
        more.length > 0 || saved.sharing === 'nobody'
          ? {}
          : { action: { label: t`Copy link`, onClick: () => copyLink(saved) } },
      );
      return onDone();
    },
  });
  const { sharing, people, typed } = form.values;

  return (
    <FormDialog form={form} title={titleOf(files)} onClose={onClose} submit={t`Save`}>
      {files.length > 1 && <p>{t`This replaces how each of these files is shared now.`}</p>}
      <fieldset className="share-choices">
        <legend>
          {files.length === 1 ? t`Who can open it, besides you` : t`Who can open them, besides you`}
        </legend>
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
        <NamedPeople
          people={people}
          typed={typed}
          onType={(change) => form.set('typed', (now) => change(now.typed))}
          isAdmin={isAdmin}
          lookups={lookups}
          errors={form.errors}
          onChange={(change) => form.set('people', (now) => change(now.people))}
        />
      )}
    </FormDialog>
  );
}
