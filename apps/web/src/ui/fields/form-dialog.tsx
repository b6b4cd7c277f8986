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
  stops = false,
  children,
  ...dialog
}: Pick<DialogProps, 'title' | 'width' | 'onClose' | 'children'> & {
  form: FormState<Values>;
  /** What the button does, as a verb: "Rename". */
  submit: ReactNode;
  /** Whoever leaves it while it runs stops it. Else nobody leaves it then: it would go on all the same. */
  stops?: boolean;
}) {
  const isHeld = form.busy && !stops;
  return (
    <Dialog
      {...dialog}
      onClose={() => (isHeld ? undefined : dialog.onClose())}
      actions={
        <>
          <Button aria-disabled={isHeld} onClick={dialog.onClose}>
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
