/** Opens an expired invitation again: names who gets the new link, and for how long it works. */
import { renewInvitation, type Invitation } from '@vestibule/contract/invitations';
import { describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { toast } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';
import { whatChanged } from './invitation-changes.ts';
import { afterSending, lifetimeOptions } from './invitation-words.ts';

const options = [{ value: '', label: 'As long as before' }, ...lifetimeOptions.slice(1)];

export function RenewDialog({
  invitation,
  onClose,
}: {
  invitation: Invitation;
  /** Also called after a change. */
  onClose: () => void;
}) {
  const form = useForm({
    initial: { lifetimeDays: '' },
    async onSubmit({ lifetimeDays }) {
      try {
        const renewed = await call(renewInvitation, {
          params: { invitationId: invitation.id },
          body: lifetimeDays ? { lifetimeDays: Number(lifetimeDays) } : {},
        });
        toast.success(afterSending(renewed, `A new link for ${invitation.email} is on its way.`));
      } catch (error) {
        const { message, reference } = describeFailure(error);
        toast.failure([message, await whatChanged(invitation, error)].filter(Boolean).join(' '), {
          reference,
        });
      }
      onClose();
    },
  });
  return (
    <Dialog
      title={`Renew: ${invitation.email}`}
      width={520}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form}>Renew invitation</SubmitButton>
        </>
      }
    >
      <Form form={form}>
        <p>{invitation.email} gets a new link by mail. The old link stays expired.</p>
        <SelectField label="The new link works for" options={options} {...form.text('lifetimeDays')} />
      </Form>
    </Dialog>
  );
}
