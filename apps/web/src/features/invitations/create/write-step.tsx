/** First step: recipients, message and options. Sends a single invitation directly. */
import { t } from '@lingui/core/macro';
import { Fragment, type ReactNode } from 'react';
import { FormDialog } from '../../../ui/fields/form-dialog.tsx';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { useInvitationSettings } from '../invitation-settings.ts';
import { countAddresses } from '../invitation-texts.ts';
import { entriesOf, isOne, type InviteValues } from './invite-draft.ts';
import { InviteOptions } from './invite-options.tsx';
import { MailBeside, useWideScreen } from './mail-preview.tsx';
import { PeopleField } from './addresses/people-field.tsx';
import type { Inviting } from './use-inviting.ts';
import { InvitationAttachments } from './invitation-attachments.tsx';

/** Form parts in order. The recipients include the typed text; the role includes language and lifetime. */
type Asked = Exclude<keyof InviteValues, 'addresses' | 'language' | 'lifetimeDays'>;

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
  const fields: Record<Asked, ReactNode> = {
    people: (
      <PeopleField
        form={form}
        checks={checks}
        lists={draft.lists}
        onListsChange={(next) => change((before) => ({ lists: next(before.lists) }))}
      />
    ),
    name: alone && !entries[0]?.name && (
      <TextField label={t`Name (optional)`} autoComplete="off" {...form.text('name')} />
    ),
    message: (
      <TextArea
        label={t`Personal message (optional)`}
        description={t`Shown in the e-mail above the link.`}
        {...form.text('message')}
      />
    ),
    role: <InviteOptions form={form} />,
    attachmentIds: (
      <InvitationAttachments
        chosen={form.values.attachmentIds}
        problem={form.errors['attachmentIds']}
        onChange={(chosen) => form.set('attachmentIds', chosen)}
      />
    ),
  };
  return (
    <FormDialog
      form={form}
      title={t`Invite someone`}
      width={showsMail ? 1080 : 640}
      onClose={close}
      submit={submitLabel()}
      stops
    >
      {/* The same elements in both layouts keep the focus when the width changes. */}
      <div className={showsMail ? 'invite-beside' : ''}>
        <div className="form">
          {Object.entries(fields).map(([name, field]) => (
            <Fragment key={name}>{field}</Fragment>
          ))}
        </div>
        {showsMail && <MailBeside draft={draft} />}
      </div>
    </FormDialog>
  );
}
