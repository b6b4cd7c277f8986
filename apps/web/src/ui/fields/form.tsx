import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import './fields.css';
import { Button, type ButtonProps } from '../button.tsx';
import type { FormState } from './use-form.ts';
import { Dialog, type DialogProps } from '../dialog/dialog.tsx';

/** Form of a `useForm` state. Errors without a field are shown above the fields. */
export function Form<Values extends object>({
  form,
  children,
}: {
  form: FormState<Values>;
  children: ReactNode;
}) {
  const others = Object.entries(form.errors).filter(([name]) => !Object.hasOwn(form.values, name));
  return (
    <form id={form.id} className="form" noValidate tabIndex={-1} onSubmit={form.submit}>
      {others.length > 0 && (
        <div role="alert" className="form-errors">
          {others.map(([name, text]) => (
            <p key={name}>{text}</p>
          ))}
        </div>
      )}
      {children}
    </form>
  );
}

/** Submit button of a form. May be outside of the form element. */
export function SubmitButton<Values extends object>({
  form,
  ...props
}: { form: Pick<FormState<Values>, 'id' | 'busy'> } & Omit<ButtonProps, 'type' | 'form' | 'busy'>) {
  return <Button variant="primary" {...props} type="submit" form={form.id} busy={form.busy} />;
}

/** Dialog with a form and the buttons Cancel and submit. It cannot be closed during the submit. */
export function FormDialog<Values extends object>({
  form,
  submit,
  children,
  ...dialog
}: Pick<DialogProps, 'title' | 'width' | 'onClose' | 'children'> & {
  form: FormState<Values>;
  /** Verb: "Rename". */
  submit: ReactNode;
}) {
  return (
    <Dialog
      {...dialog}
      onClose={() => (form.busy ? undefined : dialog.onClose())}
      actions={
        <>
          <Button aria-disabled={form.busy} onClick={dialog.onClose}>
            {t`Cancel`}
          </Button>
          <SubmitButton form={form}>{submit}</SubmitButton>
        </>
      }
    >
      <Form form={form}>{children}</Form>
    </Dialog>
  );
}
