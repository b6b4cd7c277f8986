/** Makes an access token and shows it, this once. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { createToken, NewToken, Scope } from '@vestibule/contract/tokens';
import { useState } from 'react';
import { fieldErrorsOf } from '../../lib/field-errors.ts';
import { problemsOf } from '../../lib/field-problems.ts';
import { call } from '../../lib/call.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { FormDialog } from '../../ui/fields/form-dialog.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { useForm } from '../../ui/fields/use-form.ts';
import { lifetimes, scopes } from './token-words.ts';
import './tokens.css';

type Values = { name: string; scopes: Scope[]; days: string };

export function NewTokenDialog({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const [made, setMade] = useState<string | null>(null);
  const form = useForm<Values>({
    initial: { name: '', scopes: [], days: '90' },
    validate: (values) => problemsOf(NewToken, bodyOf(values)),
    async onSubmit(values) {
      try {
        const { token } = await call(createToken, { body: bodyOf(values) });
        setMade(token);
        onMade();
        return undefined;
      } catch (error) {
        return fieldErrorsOf(error);
      }
    },
  });

  if (made) return <MadeToken token={made} onClose={onClose} />;
  const problem = form.errors['scopes'];
  const toggle = (scope: Scope) =>
    form.set(
      'scopes',
      form.values.scopes.includes(scope)
        ? form.values.scopes.filter((one) => one !== scope)
        : [...form.values.scopes, scope],
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
      <fieldset className="tokens-scopes" aria-describedby={problem ? 'token-scopes-problem' : undefined}>
        <legend>
          <Trans>Permissions</Trans>
        </legend>
        {Scope.options.map((scope) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={form.values.scopes.includes(scope)}
              aria-invalid={problem ? true : undefined}
              onChange={() => toggle(scope)}
            />
            <span>
              {scopes()[scope].label}
              <small>{scopes()[scope].description}</small>
            </span>
          </label>
        ))}
        {problem && (
          <p id="token-scopes-problem" className="tokens-problem">
            {problem}
          </p>
        )}
      </fieldset>
      <SelectField
        label={t`Expires after`}
        description={t`It can be revoked at any time.`}
        options={lifetimes()}
        {...form.text('days')}
      />
    </FormDialog>
  );
}

function MadeToken({ token, onClose }: { token: string; onClose: () => void }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(token);
      toast.success(t`The token is on your clipboard.`);
    } catch {
      toast.failure(t`The browser does not allow copying here. Select the token and copy it manually.`);
    }
  };
  return (
    <Dialog
      title={t`Your access token`}
      dismissable={false}
      onClose={onClose}
      actions={
        <>
          <Button onClick={copy}>
            <Trans>Copy token</Trans>
          </Button>
          <Button variant="primary" onClick={onClose}>
            <Trans>I have saved it</Trans>
          </Button>
        </>
      }
    >
      <p>
        <Trans>Copy it now and keep it where you keep passwords. It will not be shown again.</Trans>
      </p>
      <code className="tokens-made">{token}</code>
    </Dialog>
  );
}

const bodyOf = ({ days, ...values }: Values) => ({ ...values, days: Number(days) });
