import { t } from '@lingui/core/macro';
import { renamePasskey } from '@vestibule/contract/sign-in/passkeys';
import { call } from '../../lib/call.ts';
import { FormDialog } from '../../ui/fields/form-dialog.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useForm } from '../../ui/fields/use-form.ts';

const nameMaximumLength = 60;

export function RenamePasskeyDialog({
  passkey,
  onClose,
}: {
  passkey: { id: string; name: string };
  onClose: () => void;
}) {
  const form = useForm({
    initial: { name: passkey.name },
    validate: ({ name }) => (name.trim() === '' ? { name: t`Give it a name.` } : {}),
    async onSubmit({ name }) {
      await call(renamePasskey, { params: { passkeyId: passkey.id }, body: { name: name.trim() } });
      onClose();
    },
  });
  return (
    <FormDialog title={t`Name of the passkey`} submit={t`Save`} form={form} onClose={onClose}>
      <TextField
        label={t`Name`}
        description={t`What you call the device, such as “Phone”.`}
        autoComplete="off"
        maxLength={nameMaximumLength}
        {...form.text('name')}
      />
    </FormDialog>
  );
}
