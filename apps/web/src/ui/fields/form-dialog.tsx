import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { Dialog, type DialogProps } from '../dialog/dialog.tsx';
import { Form, SubmitButton } from './form.tsx';
import type { FormState } from './use-form.ts';

/** A form as a dialog: its foot leads out or submits. */
export function FormDialog<Values extends object>({
  form,
  submit,
  children,
  ...dialog
}: Pick<DialogProps, 'title' | 'width' | 'onClose' | 'children'> & {
  form: FormState<Values>;
  /** What the button does, as a verb: "Rename". */
  submit: ReactNode;
}) {
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          <Button onClick={dialog.onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <SubmitButton form={form}>{submit}</SubmitButton>
        </>
      }
    >
      <Form form={form}>{children}</Form>
    </Dialog>
  );
}
