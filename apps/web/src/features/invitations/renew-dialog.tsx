/** Renews an expired invitation with a new link. */
import { routeHere } from '../../lib/active-organization.ts';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { renewInvitation, type Invitation } from '@vestibule/contract/invitations';
import { call } from '../../lib/call.ts';
import { FormDialog } from '../../ui/fields/form.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { Address } from '../../ui/person/person.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { useForm } from '../../ui/fields/use-form.ts';
import { sentMessage, lifetimeOptions } from './invitation-texts.ts';

const options = () => [{ value: '', label: t`Same as before` }, ...lifetimeOptions().slice(1)];

export default function RenewDialog({
  invitation,
  onClose,
}: {
  invitation: Invitation;
  /** Called when the dialog closes, also after a change. */
  onClose: () => void;
}) {
  const form = useForm({
    initial: { lifetimeDays: '' },
    async onSubmit({ lifetimeDays }) {
      const renewed = await call(routeHere(renewInvitation), {
        params: { invitationId: invitation.id },
        body: lifetimeDays ? { lifetimeDays: Number(lifetimeDays) } : {},
      });
      toast.success(sentMessage(renewed, t`A new link for ${invitation.email} is on its way.`));
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={t`Renew: ${invitation.email}`}
      width={520}
      onClose={onClose}
      submit={t`Renew invitation`}
    >
      <p>
        <Trans>
          <Address of={invitation.email} /> gets a new link by e-mail. The old link stays expired.
        </Trans>
      </p>
      <SelectField label={t`New link valid for`} options={options()} {...form.text('lifetimeDays')} />
    </FormDialog>
  );
}
