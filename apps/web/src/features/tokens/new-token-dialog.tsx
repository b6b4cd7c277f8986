/** Creates an access token and shows it once. */
import { t } from '@lingui/core/macro';
import { createToken, NewToken, Scope } from '@vestibule/contract/profile/tokens';
import { useState } from 'react';
import { problemsByField } from '../../lib/field-problems.ts';
import { call } from '../../lib/call.ts';
import { SecretDialog } from '../../ui/dialog/secret-dialog.tsx';
import { CheckboxGroup } from '../../ui/fields/check-box.tsx';
import { FormDialog } from '../../ui/fields/form.tsx';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import { useForm } from '../../ui/fields/use-form.ts';
import { lifetimes, scopes } from './token-texts.ts';

type Values = { name: string; scopes: Scope[]; days: string };

export function NewTokenDialog({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const [made, setMade] = useState<string | null>(null);
  const form = useForm<Values>({
    initial: { name: '', scopes: [], days: '90' },
    validate: (values) => problemsByField(NewToken, bodyOf(values)),
    async onSubmit(values) {
      const { token } = await call(createToken, { body: bodyOf(values) });
      setMade(token);
      onMade();
    },
  });

  if (made)
    return (
      <SecretDialog
        title={t`Your access token`}
        secret={made}
        copy={t`Copy token`}
        copied={t`The token is on your clipboard.`}
        onClose={onClose}
      >
        {t`Copy it now and keep it where you keep passwords. It will not be shown again.`}
      </SecretDialog>
    );
  return (
    <FormDialog
      form={form}
      title={t`New access token`}
      width={600}
      onClose={onClose}
      submit={t`Create token`}
    >
      <TextField
        label={t`Purpose`}
        description={t`Shown in the activity log with everything it does.`}
        autoComplete="off"
        required
        {...form.text('name')}
      />
      <CheckboxGroup
        label={t`Permissions`}
        options={Scope.options.map((value) => ({ value, ...scopes()[value] }))}
        chosen={form.values.scopes}
        problem={form.errors['scopes']}
        onChange={(chosen) => form.set('scopes', chosen)}
      />
      <SelectField
        label={t`Expires after`}
        description={t`It can be revoked at any time.`}
        options={lifetimes()}
        {...form.text('days')}
      />
    </FormDialog>
  );
}

const bodyOf = ({ days, ...values }: Values) => ({ ...values, days: Number(days) });
