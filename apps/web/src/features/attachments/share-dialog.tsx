/** Dialog that sets the audience of one or several files. */
import { t } from '@lingui/core/macro';
import {
  listShares,
  shareAttachment,
  sharedWithMaximum,
  sharingModes,
  type Attachment,
  type ShareablePerson,
  type Sharing,
} from '@vestibule/contract/attachments';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { Loading } from '../../ui/states.tsx';
import { FormDialog } from '../../ui/fields/form.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { listMyOrganizations } from '@vestibule/contract/organizations/mine';
import { useForm, type FieldErrors } from '../../ui/fields/use-form.ts';
import { copyLink } from './attachment-changes.ts';
import { countOf, describeAudience } from './attachment-texts.ts';
import { SharedPeopleField } from './shared-people-field.tsx';
import './attachments.css';

type ShareDialogProps = {
  /** If there is only one file, the dialog shows its current audience. */
  files: readonly [Attachment, ...Attachment[]];
  /** Administrators search by parts of names, members by the whole address. */
  isAdmin: boolean;
  onDone: () => void;
  onClose: () => void;
};

/** "Everyone" are the people with whom the owner has an organization in common, if the owner belongs to any. */
const choices = (hasOrganizations: boolean): { sharing: Sharing; label: string; description: string }[] => [
  { sharing: sharingModes.private, label: t`No one`, description: t`Only you can open it.` },
  {
    sharing: sharingModes.everyone,
    label: hasOrganizations ? t`Everyone in my organizations` : t`Everyone here`,
    description: t`Including people who join later.`,
  },
  { sharing: sharingModes.people, label: t`Specific people`, description: t`Only the people listed below.` },
];

const titleOf = ([file, ...more]: ShareDialogProps['files']) =>
  more.length === 0 ? t`Share ${file.name}` : t`Share ${countOf(more.length + 1)}`;

export default function ShareDialog(props: ShareDialogProps) {
  return props.files.length === 1 ? (
    <ShareOne {...props} />
  ) : (
    <ShareForm {...props} first={{ sharing: sharingModes.people, people: [] }} />
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

/** `version` is that of the file whose audience is shown. */
type Values = { version?: number; sharing: Sharing; people: ShareablePerson[] };
/** `typed` is text that has not been resolved to people. */
type Entered = Values & { typed: string };

function ShareForm({ files, isAdmin, first, onDone, onClose }: ShareDialogProps & { first: Values }) {
  // Loaded by the frame, if the site has organizations.
  const mine = useApiQuery(listMyOrganizations, { key: ['my organizations'], enabled: false });
  const hasOrganizations = (mine.data?.rows.length ?? 0) > 0;
  const form = useForm<Entered>({
    initial: { ...first, typed: '' },
    validate({ sharing, people, typed }): FieldErrors {
      if (sharing !== sharingModes.people) return {};
      if (typed.trim() !== '') return { typed: t`Add the person you typed, or clear the field.` };
      if (people.length === 0) return { people: t`Add at least one person, or choose “No one”.` };
      if (people.length <= sharedWithMaximum) return {};
      return {
        people: t`A file can be shared with at most ${sharedWithMaximum} people. Share it with everyone instead.`,
      };
    },
    async onSubmit({ sharing, people }) {
      const named = sharing === sharingModes.people ? people : [];
      const body = {
        sharing,
        personIds: named.flatMap(({ id, invited }) => (invited ? [] : [id])),
        ...(isAdmin && { invitationIds: named.flatMap(({ id, invited }) => (invited ? [id] : [])) }),
      };
      const [file, ...more] = files;
      // Several files get the same audience without a version check, so that saving can be retried.
      const params = { attachmentId: file.id };
      const saved = await call(shareAttachment, { params, query: { version: first.version }, body });
      for (const { id } of more) await call(shareAttachment, { params: { attachmentId: id }, body });
      toast.success(
        `${more.length === 0 ? saved.name : countOf(files.length)}: ${describeAudience(saved)}.`,
        more.length > 0 || saved.sharing === sharingModes.private
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
        {choices(hasOrganizations).map((choice) => (
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
      {sharing === sharingModes.people && (
        <SharedPeopleField
          people={people}
          typed={typed}
          onType={(text) => form.set('typed', text)}
          isAdmin={isAdmin}
          errors={form.errors}
          onChange={(next) => form.set('people', next)}
        />
      )}
    </FormDialog>
  );
}
