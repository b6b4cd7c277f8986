/** First step: recipients, message and options. Sends a single invitation directly. */
import { t } from '@lingui/core/macro';
import { activeOrganization, routeHere } from '../../../lib/active-organization.ts';
import { FormDialog } from '../../../ui/fields/form.tsx';
import { SelectField, TextArea, TextField } from '../../../ui/fields/field.tsx';
import type { FormState } from '../../../ui/fields/use-form.ts';
import { optionsFrom, useInvitationSettings } from '../invitation-settings.ts';
import { countAddresses, roleOptions } from '../invitation-texts.ts';
import {
  allRecipients,
  isSingleInvitation,
  type InviteValues,
  singleInvitationBody,
  type InviteDraft,
} from './invite-draft.ts';
import { PeopleField } from './people-field.tsx';
import { SeatNote } from './seat-note.tsx';
import type { InviteState } from './use-invite.ts';
import { previewInvitation } from '@vestibule/contract/invitations/preview';
import { useSyncExternalStore } from 'react';
import { useApiQuery } from '../../../lib/use-api-query.ts';
import { useDebounced } from '../../../lib/use-debounced.ts';

export function WriteStep({ invite }: { invite: InviteState }) {
  const { form, draft, changeDraft, close } = invite;
  const entries = allRecipients(draft);
  const isSingle = isSingleInvitation(draft);
  const mailsAreOff = useInvitationSettings()?.mail === 'off';
  const showsPreview = useWideScreen() && !mailsAreOff;
  return (
    <FormDialog
      form={form}
      title={t`Invite someone`}
      width={showsPreview ? 1080 : 640}
      onClose={close}
      submit={isSingle ? t`Send invitation` : t`Check ${countAddresses(entries.length)}`}
    >
      {/* Both layouts use the same elements, so that the focus stays when the width changes. */}
      <div className={showsPreview ? 'invite-with-preview' : ''}>
        <div className="form">
          <PeopleField
            form={form}
            lists={draft.lists}
            onListsChange={(update) => changeDraft((previous) => ({ lists: update(previous.lists) }))}
          />
          {isSingle && !entries[0]?.name && (
            <TextField label={t`Name (optional)`} autoComplete="off" {...form.text('name')} />
          )}
          <TextArea
            label={t`Personal message (optional)`}
            description={t`Shown in the e-mail above the link.`}
            {...form.text('message')}
          />
          <InviteOptions form={form} />
          <SeatNote invited={entries.length} />
        </div>
        {showsPreview && <MailPreview draft={draft} />}
      </div>
    </FormDialog>
  );
}

/** Collapsed fields for role, mail language and link lifetime. */
function InviteOptions({ form }: { form: FormState<InviteValues> }) {
  const { languages, lifetimes } = optionsFrom(useInvitationSettings());
  const chosen = [
    { options: roleOptions(), value: form.values.role },
    { options: languages, value: form.values.language },
    { options: lifetimes, value: form.values.lifetimeDays },
  ].map(({ options, value }) => options.find((option) => option.value === value)?.label);
  return (
    <details className="invite-section">
      <summary>
        {t`Options`} <small>{chosen.join(' · ')}</small>
      </summary>
      <SelectField
        label={t`Role`}
        description={
          activeOrganization()
            ? t`Managers can invite others and see all members.`
            : t`Administrators can invite others and see everyone.`
        }
        options={roleOptions()}
        {...form.text('role')}
      />
      <div className="invite-options">
        <SelectField label={t`E-mail language`} options={languages} {...form.text('language')} />
        <SelectField label={t`Link valid for`} options={lifetimes} {...form.text('lifetimeDays')} />
      </div>
    </details>
  );
}

const debounceMilliseconds = 400;
const wideScreen = window.matchMedia('(width >= 70rem)');

function watchWidth(onChange: () => void): () => void {
  wideScreen.addEventListener('change', onChange);
  return () => wideScreen.removeEventListener('change', onChange);
}

/** Returns whether form and preview fit side by side. */
function useWideScreen(): boolean {
  return useSyncExternalStore(watchWidth, () => wideScreen.matches);
}

function MailPreview({ draft }: { draft: InviteDraft }) {
  const { email, name, language, lifetimeDays, message } = singleInvitationBody(draft);
  const body = useDebounced(
    JSON.stringify({ email, name, language, lifetimeDays, message }),
    debounceMilliseconds,
  );
  const { data } = useApiQuery(routeHere(previewInvitation), {
    key: ['invitation-preview', body],
    body: JSON.parse(body) as Record<string, never>,
    // Keep the previous preview while the next one loads.
    placeholderData: (previous) => previous,
    retry: false,
  });
  return (
    <aside className="invite-mail" aria-label={t`The e-mail as it will arrive`}>
      {data && (
        <>
          <p>
            <small>{t`Subject`}</small> <q>{data.subject}</q>
          </p>
          {/* The sandbox blocks scripts, forms and links. */}
          <iframe title={t`The e-mail as it will arrive`} sandbox="" srcDoc={data.html} tabIndex={-1} />
        </>
      )}
    </aside>
  );
}
