/** Makes an access token and shows it, this once. */
import { createToken, NewToken, Scope } from '@vestibule/contract/tokens';
import { useState } from 'react';
import { CallFailure, describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { toast } from '../../ui/toast.tsx';
import { useForm, type FieldErrors } from '../../ui/use-form.ts';
import { lifetimes, scopes } from './token-words.ts';
import './tokens.css';

type Values = { name: string; scopes: Scope[]; days: string };

export function NewTokenDialog({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const [made, setMade] = useState<string | null>(null);
  const form = useForm<Values>({
    initial: { name: '', scopes: [], days: '90' },
    validate,
    async onSubmit(values) {
      try {
        const { token } = await call(createToken, { body: bodyOf(values) });
        setMade(token);
        onMade();
        return undefined;
      } catch (error) {
        if (error instanceof CallFailure && Object.keys(error.fields).length > 0) return error.fields;
        const { message, reference } = describeFailure(error);
        return { form: reference ? `${message} Reference ${reference}.` : message };
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
    <Dialog
      title="New access token"
      width={600}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form}>Make token</SubmitButton>
        </>
      }
    >
      <Form form={form}>
        <TextField
          label="What it is for"
          description="Stands in the activity log beside everything it does."
          autoComplete="off"
          required
          {...form.text('name')}
        />
        <fieldset className="tokens-scopes" aria-describedby={problem ? 'token-scopes-problem' : undefined}>
          <legend>What it may do</legend>
          {Scope.options.map((scope) => (
            <label key={scope}>
              <input
                type="checkbox"
                checked={form.values.scopes.includes(scope)}
                aria-invalid={problem ? true : undefined}
                onChange={() => toggle(scope)}
              />
              <span>
                {scopes[scope].label}
                <small>{scopes[scope].description}</small>
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
          label="How long it works"
          description="It ends by itself then; it can be revoked at any time."
          options={lifetimes}
          {...form.text('days')}
        />
      </Form>
    </Dialog>
  );
}

function MadeToken({ token, onClose }: { token: string; onClose: () => void }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(token);
      toast.success('The token is on your clipboard.');
    } catch {
      toast.failure('The browser does not allow copying here. Mark the token and copy it by hand.');
    }
  };
  return (
    <Dialog
      title="Your access token"
      dismissable={false}
      onClose={onClose}
      actions={
        <>
          <Button onClick={copy}>Copy token</Button>
          <Button variant="primary" onClick={onClose}>
            I have kept it
          </Button>
        </>
      }
    >
      <p>Copy it now and keep it where you keep passwords. It is not shown again.</p>
      <code className="tokens-made">{token}</code>
    </Dialog>
  );
}

const bodyOf = ({ days, ...values }: Values) => ({ ...values, days: Number(days) });

/** The contract's own rules, so that nobody waits for the server to hear of a typing error. */
function validate(values: Values): FieldErrors {
  const result = NewToken.safeParse(bodyOf(values));
  if (result.success) return {};
  const errors: Record<string, string> = {};
  for (const issue of result.error.issues) errors[String(issue.path[0])] ??= issue.message;
  return errors;
}
