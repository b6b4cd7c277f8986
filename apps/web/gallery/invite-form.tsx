import { Button } from '../src/ui/button.tsx';
import { Dialog } from '../src/ui/dialog/dialog.tsx';
import { Form, SubmitButton } from '../src/ui/fields/form.tsx';
import { Menu } from '../src/ui/menu/menu.tsx';
import { SelectField, TextArea, TextField } from '../src/ui/fields/field.tsx';
import { toast } from '../src/ui/toast/toast.tsx';
import { useForm } from '../src/ui/fields/use-form.ts';

/** A form in a dialog, with field errors, a form error and a failure toast. */
export function InviteForm({ onClose }: { onClose: () => void }) {
  const form = useForm({
    initial: { name: '', email: '', role: 'member', message: '' },
    draft: 'gallery',
    validate: ({ email }): Record<string, string> =>
      email.includes('@') ? {} : { email: 'Type an e-mail address, such as name@example.com.' },
    onSubmit: async ({ email }) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      if (email.startsWith('taken')) return { email: 'This address has been invited already.' };
      if (email.startsWith('lost'))
        return { form: 'The invitation could not be sent. Try again in a minute.' };
      toast.success(`Invited ${email}`);
      onClose();
      return undefined;
    },
  });
  const fail = () =>
    toast.failure('The draft could not be kept.', {
      reference: '01J9ZK3-7Q',
      action: { label: 'Try again', onClick: () => toast.success('Kept this time') },
    });
  return (
    <Dialog
      title="Invite someone"
      onClose={onClose}
      actions={
        <>
          <Menu
            items={[
              { label: 'Greet', onSelect: () => toast.success('Hello') },
              { label: 'Wave', onSelect: () => {} },
            ]}
          >
            <Button variant="quiet">Options</Button>
          </Menu>
          <Button onClick={fail}>Keep</Button>
          <SubmitButton form={form}>Send invitation</SubmitButton>
        </>
      }
    >
      <Form form={form}>
        <TextField label="Name (optional)" placeholder="As in the greeting" {...form.text('name')} />
        <TextField label="E-mail address" type="email" {...form.text('email')} />
        <SelectField
          label="Role"
          description="Administrators see all members."
          options={[
            { value: 'member', label: 'Member' },
            { value: 'admin', label: 'Administrator' },
          ]}
          {...form.text('role')}
        />
        <TextArea label="Personal message (optional)" {...form.text('message')} />
      </Form>
    </Dialog>
  );
}
