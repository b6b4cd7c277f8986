/** Collapsed fields for role, mail language and link lifetime. */
import { t } from '@lingui/core/macro';
import { SelectField } from '../../../ui/fields/select-field.tsx';
import type { FormState } from '../../../ui/fields/use-form.ts';
import { optionsFrom, useInvitationSettings } from '../invitation-settings.ts';
import { roleOptions } from '../invitation-texts.ts';
import type { InviteValues } from './invite-draft.ts';

export function InviteOptions({ form }: { form: FormState<InviteValues> }) {
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
        description={t`Administrators can invite others and see everyone.`}
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
