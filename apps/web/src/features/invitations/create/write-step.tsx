/** First step: recipients, message and options. Sends a single invitation directly. */
import { t } from '@lingui/core/macro';
import { Fragment, type ReactNode } from 'react';
import { FormDialog } from '../../../ui/fields/form-dialog.tsx';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { useInvitationSettings } from '../invitation-settings.ts';
import { countAddresses } from '../invitation-texts.ts';
import { allRecipients, isSingleInvitation, type InviteValues } from './invite-draft.ts';
import { InviteOptions } from './invite-options.tsx';
import { MailPreview, useWideScreen } from './mail-preview.tsx';
import { PeopleField } from './addresses/people-field.tsx';
import type { InviteState } from './use-invite.ts';
import { InvitationAttachments } from './invitation-attachments.tsx';

/** Parts of the form in order. The part `people` includes the typed text, and `role` includes language and lifetime. */
type FormPart = Exclude<keyof InviteValues, 'addresses' | 'language' | 'lifetimeDays'>;

export function WriteStep({ invite }: { invite: InviteState }) {
  const { form, draft, checks, isDoubtful, changeDraft, close } = invite;
  const entries = allRecipients(draft);
  const isSingle = isSingleInvitation(draft);
  const mailsAreOff = useInvitationSettings()?.mail === 'off';
  const showsPreview = useWideScreen() && !mailsAreOff;
  const submitLabel = () => {
    if (!isSingle) return t`Check ${countAddresses(entries.length)}`;
    return isDoubtful ? t`Send anyway` : t`Send invitation`;
  };
  const fields: Record<FormPart, ReactNode> = {
    people: (
      <PeopleField
        form={form}
        checks={checks}
        lists={draft.lists}
        onListsChange={(update) => changeDraft((previous) => ({ lists: update(previous.lists) }))}
      />
    ),
    name: isSingle && !entries[0]?.name && (
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
      width={showsPreview ? 1080 : 640}
      onClose={close}
      submit={submitLabel()}
      stops
    >
      {/* Both layouts use the same elements, so that the focus stays when the width changes. */}
      <div className={showsPreview ? 'invite-with-preview' : ''}>
        <div className="form">
          {Object.entries(fields).map(([name, field]) => (
            <Fragment key={name}>{field}</Fragment>
          ))}
        </div>
        {showsPreview && <MailPreview draft={draft} />}
      </div>
    </FormDialog>
  );
}
