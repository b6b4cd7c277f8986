/** Changes the name and the address of a person. */
import { t } from '@lingui/core/macro';
import type { Person } from '@vestibule/contract/people';
import { changePerson } from '@vestibule/contract/people/details';
import { call } from '../../lib/call.ts';
import { FormDialog } from '../../ui/fields/form.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { useForm } from '../../ui/fields/use-form.ts';
import { toast } from '../../ui/toast/toast.tsx';

export default function DetailsDialog({
  person: { id, version, displayName, email },
  onDone,
  onClose,
}: {
  person: Person;
  onDone: () => void;
  onClose: () => void;
}) {
  const form = useForm({
    initial: { displayName, email },
    async onSubmit(values) {
      // Changing the address needs a recent sign-in, so it is sent only if it has changed.
      const body = {
        ...(values.displayName !== displayName && { displayName: values.displayName }),
        ...(values.email !== email && { email: values.email }),
      };
      const changed = await call(changePerson, { params: { personId: id }, query: { version }, body });
      toast.success(t`The details of ${changed.displayName} are saved.`);
      onDone();
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={t`Change details: ${displayName}`}
      width={560}
      onClose={onClose}
      submit={t`Save`}
    >
      <TextField label={t`Name`} autoComplete="off" required {...form.text('displayName')} />
      <TextField
        label={t`E-mail address`}
        description={t`Codes and e-mails go to the new address from now on. Both addresses get an e-mail. Sign-in methods, role and files stay.`}
        type="email"
        autoComplete="off"
        required
        {...form.text('email')}
      />
    </FormDialog>
  );
}
