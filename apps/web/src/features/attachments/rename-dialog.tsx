import { t } from '@lingui/core/macro';
import { renameAttachment, type Attachment } from '@vestibule/contract/attachments';
import { useEffect } from 'react';
import { call } from '../../lib/call.ts';
import { FormDialog } from '../../ui/fields/form.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { useForm } from '../../ui/fields/use-form.ts';
import { versionedRequest } from './attachment-changes.ts';

export default function RenameDialog({
  file,
  onDone,
  onClose,
}: {
  file: Attachment;
  onDone: () => void;
  onClose: () => void;
}) {
  const form = useForm({
    initial: { name: file.name },
    async onSubmit({ name }) {
      if (name.trim() !== file.name)
        await call(renameAttachment, { ...versionedRequest(file), body: { name } });
      onDone();
    },
  });

  const { id } = form;
  useEffect(() => {
    const field = document.getElementById(id)?.querySelector('input');
    // Select the name without the extension.
    const end = file.name.lastIndexOf('.');
    field?.setSelectionRange(0, end > 0 ? end : file.name.length);
  }, [id, file.name]);

  return (
    <FormDialog form={form} title={t`Rename`} width={520} onClose={onClose} submit={t`Rename`}>
      <TextField label={t`Name`} autoComplete="off" required {...form.text('name')} />
    </FormDialog>
  );
}
