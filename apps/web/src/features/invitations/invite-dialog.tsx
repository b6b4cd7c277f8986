/** The dialog that invites one person. What was typed survives a wrong input, a lost connection and a new sign-in. */
import { invitationErrors, invite, NewInvitation, type Invitation } from '@vestibule/contract/invitations';
import { CallFailure, describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useForm, type FieldErrors } from '../../ui/use-form.ts';

/** The name under which a half-filled invitation is kept (C8). */
export const inviteDraft = 'invite';

type Values = { email: string; name: string; role: 'member' | 'admin'; message: string };

export function InviteDialog({
  onClose,
  onInvited,
}: {
  onClose: () => void;
  onInvited: (invitation: Invitation) => void;
}) {
  const form = useForm<Values>({
    initial: { email: '', name: '', role: 'member', message: '' },
    draft: inviteDraft,
    validate,
    async onSubmit(values) {
      try {
        onInvited(await call(invite, { body: values }));
        return undefined;
      } catch (error) {
        return toFieldErrors(error);
      }
    },
  });

  return (
    <Dialog
      title="Invite somebody"
      width={600}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form}>Send invitation</SubmitButton>
        </>
      }
    >
      <Form form={form}>
        <TextField label="E-mail address" type="email" autoComplete="off" required {...form.text('email')} />
        <TextField label="Name (optional)" autoComplete="off" {...form.text('name')} />
        <SelectField
          label="Role"
          description="Administrators invite others and see everybody who is inside."
          options={[
            { value: 'member', label: 'Member' },
            { value: 'admin', label: 'Administrator' },
          ]}
          {...form.text('role')}
        />
        <TextArea
          label="Personal message (optional)"
          description="Stands in the e-mail above the link."
          {...form.text('message')}
        />
      </Form>
    </Dialog>
  );
}

/** The contract's own rules, so that nobody waits for the server to hear of a typing error. */
function validate(values: Values): FieldErrors {
  if (values.email.trim() === '') return { email: 'Type the e-mail address of the person to invite.' };
  const result = NewInvitation.safeParse(values);
  if (result.success) return {};
  const errors: Record<string, string> = {};
  for (const issue of result.error.issues) errors[String(issue.path[0])] ??= issue.message;
  return errors;
}

function toFieldErrors(error: unknown): FieldErrors {
  if (error instanceof CallFailure) {
    if (Object.keys(error.fields).length > 0) return error.fields;
    const aboutAddress: string[] = [
      invitationErrors.alreadyInvited.code,
      invitationErrors.alreadyMember.code,
    ];
    if (aboutAddress.includes(error.code)) return { email: error.message };
  }
  const { message, reference } = describeFailure(error);
  return { form: reference ? `${message} Reference ${reference}.` : message };
}
