/** The first page: who, with what message, as what and for how long. One person is invited from here at once. */
import { t } from '@lingui/core/macro';
import { FormDialog } from '../../../ui/fields/form-dialog.tsx';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { useInvitationSettings } from '../invitation-settings.ts';
import { countAddresses } from '../invitation-words.ts';
import { entriesOf, isOne } from './invite-draft.ts';
import { InviteOptions } from './invite-options.tsx';
import { MailBeside, useWideScreen } from './mail-beside.tsx';
import { PeopleField } from './addresses/people-field.tsx';
import type { Inviting } from './use-inviting.ts';
import { WelcomePack } from './welcome-pack.tsx';

export function WriteStep({ inviting }: { inviting: Inviting }) {
  const { form, draft, checks, isDoubtful, change, close } = inviting;
  const entries = entriesOf(draft);
  const alone = isOne(draft);
  const mailsAreOff = useInvitationSettings()?.mail === 'off';
  const showsMail = useWideScreen() && !mailsAreOff;
  const submitLabel = () => {
    if (!alone) return t`Check ${countAddresses(entries.length)}`;
    return isDoubtful ? t`Send anyway` : t`Send invitation`;
  };
  const fields = (
    <>
      <PeopleField
        form={form}
        checks={checks}
        lists={draft.lists}
        onListsChange={(next) => change((before) => ({ lists: next(before.lists) }))}
      />
      {alone && !entries[0]?.name && (
        <TextField label={t`Name (optional)`} autoComplete="off" {...form.text('name')} />
      )}
      <TextArea
        label={t`Personal message (optional)`}
        description={t`Shown in the e-mail above the link.`}
        {...form.text('message')}
      />
      <InviteOptions form={form} />
      <WelcomePack
        chosen={form.values.attachmentIds}
        problem={form.errors['attachmentIds']}
        onChange={(chosen) => form.set('attachmentIds', chosen)}
      />
    </>
  );
  return (
    <FormDialog
      form={form}
      title={t`Invite somebody`}
      width={showsMail ? 1080 : 640}
      onClose={close}
      submit={submitLabel()}
      stops
    >
      {/* The fields stay where they are, with the cursor, when a window becomes narrow. */}
      <div className={showsMail ? 'invite-beside' : ''}>
        <div className="form">{fields}</div>
        {showsMail && <MailBeside draft={draft} />}
      </div>
    </FormDialog>
  );
}
