/** Sends a pending invitation to another address. */
import { routeHere } from '../../lib/active-organization.ts';
import { t } from '@lingui/core/macro';
import { changeInvitationAddress, type Invitation } from '@vestibule/contract/invitations';
import { call } from '../../lib/call.ts';
import { FormDialog } from '../../ui/fields/form.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { useForm } from '../../ui/fields/use-form.ts';
import { sentMessage, mailProblem } from './invitation-texts.ts';

export default function AddressDialog({
  invitation,
  onClose,
}: {
  invitation: Invitation;
  /** Called when the dialog closes, also after a change. */
  onClose: () => void;
}) {
  const form = useForm({
    initial: { email: invitation.email },
    async onSubmit({ email }) {
      const changed = await call(routeHere(changeInvitationAddress), {
        params: { invitationId: invitation.id },
        body: { email },
      });
      toast.success(
        sentMessage(
          changed,
          t`The invitation is on its way to ${changed.email}. The link that ${invitation.email} received no longer works.`,
        ),
      );
      onClose();
    },
  });
  const problem = mailProblem(invitation);
  return (
    <FormDialog
      form={form}
      title={t`Change the address: ${invitation.email}`}
      width={560}
      onClose={onClose}
      submit={t`Change and send`}
    >
      {problem && <p>{problem}</p>}
      <TextField
        label={t`E-mail address`}
        description={t`The link sent to the old address stops working immediately.`}
        type="email"
        autoComplete="off"
        required
        {...form.text('email')}
      />
    </FormDialog>
  );
}
