/** The first page: who, as what, in which language and for how long. One person is invited from here at once. */
import { t } from '@lingui/core/macro';
import { tell } from '../../../language/tell.ts';
import { Button } from '../../../ui/button.tsx';
import { FormDialog } from '../../../ui/fields/form-dialog.tsx';
import { SelectField } from '../../../ui/fields/select-field.tsx';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { optionsFrom, useInvitationSettings } from '../invitation-settings.ts';
import { countAddresses, roleOptions } from '../invitation-words.ts';
import { entriesOf, isOne } from './invite-draft.ts';
import { PeopleField } from './people-field.tsx';
import type { Inviting } from './use-inviting.ts';
import { WelcomePack } from './welcome-pack.tsx';

export function WriteStep({ inviting }: { inviting: Inviting }) {
  const { form, draft, doubt, change, close } = inviting;
  const entries = entriesOf(draft);
  const alone = isOne(draft);
  const suggestion = doubt?.suggestion;
  const options = optionsFrom(useInvitationSettings());
  const submitLabel = () => {
    if (!alone) return t`Check ${countAddresses(entries.length)}`;
    return doubt ? t`Send anyway` : t`Send invitation`;
  };
  return (
    <FormDialog form={form} title={t`Invite somebody`} width={640} onClose={close} submit={submitLabel()}>
      <PeopleField form={form} lists={draft.lists} onListsChange={(lists) => change({ lists })} />
      <div role="alert">
        {doubt && (
          <p className="invite-doubt">
            <span>{tell(doubt)}</span>
            {suggestion && (
              <Button
                size="small"
                onClick={() => form.set('addresses', form.values.addresses.replace(doubt.email, suggestion))}
              >
                {t`Use ${suggestion}`}
              </Button>
            )}
          </p>
        )}
      </div>
      {alone && !entries[0]?.name && (
        <TextField label={t`Name (optional)`} autoComplete="off" {...form.text('name')} />
      )}
      <SelectField
        label={t`Role`}
        description={t`Administrators can invite others and see everyone.`}
        options={roleOptions()}
        {...form.text('role')}
      />
      <div className="invite-options">
        <SelectField label={t`E-mail language`} options={options.languages} {...form.text('language')} />
        <SelectField label={t`Link valid for`} options={options.lifetimes} {...form.text('lifetimeDays')} />
      </div>
      <TextArea
        label={t`Personal message (optional)`}
        description={t`Shown in the e-mail above the link.`}
        {...form.text('message')}
      />
      <WelcomePack
        chosen={form.values.attachmentIds}
        problem={form.errors['attachmentIds']}
        onChange={(chosen) => form.set('attachmentIds', chosen)}
      />
    </FormDialog>
  );
}
