import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { Dialog, type DialogProps } from '../dialog/dialog.tsx';
import { Form, SubmitButton } from './form.tsx';
import type { FormState } from './use-form.ts';

/** Dialog with a form and the buttons Cancel and submit. */
export function FormDialog<Values extends object>({
  form,
  submit,
  stops = false,
  children,
  ...dialog
}: Pick<DialogProps, 'title' | 'width' | 'onClose' | 'children'> & {
  form: FormState<Values>;
  /** Verb: "Rename". */
  submit: ReactNode;
  /** If true, closing the dialog stops the running submit. Otherwise the dialog cannot be closed during the submit. */
  stops?: boolean;
}) {
  const isLocked = form.busy && !stops;
  return (
    <Dialog
      {...dialog}
      onClose={() => (isLocked ? undefined : dialog.onClose())}
      actions={
        <>
          <Button aria-disabled={isLocked} onClick={dialog.onClose}>
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
