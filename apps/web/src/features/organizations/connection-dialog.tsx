import { t } from '@lingui/core/macro';
import { putConnection, type Connection } from '@vestibule/contract/organizations/connection';
import { call } from '../../lib/call.ts';
import { TextField } from '../../ui/fields/field.tsx';
import { FormDialog } from '../../ui/fields/form.tsx';
import { useForm } from '../../ui/fields/use-form.ts';

type Values = { issuer: string; clientId: string; secret: string };

/** Connects a provider, or changes `connection`. An active connection keeps its issuer and client id. */
export function ConnectionDialog({
  params,
  connection,
  onClose,
}: {
  params: { organizationId: string };
  connection: Connection | null;
  onClose: () => void;
}) {
  const isActive = connection?.isActive === true;
  const form = useForm<Values>({
    initial: { issuer: connection?.issuer ?? '', clientId: connection?.clientId ?? '', secret: '' },
    validate: ({ issuer, clientId, secret }) => ({
      ...(issuer.trim() === '' && { issuer: t`Enter the issuer.` }),
      ...(clientId.trim() === '' && { clientId: t`Enter the client id.` }),
      ...(secret.trim() === '' &&
        (isActive || connection?.issuer !== issuer.trim() || connection.clientId !== clientId.trim()) && {
          secret: t`Enter the client secret.`,
        }),
    }),
    async onSubmit({ issuer, clientId, secret }) {
      await call(putConnection, {
        params,
        body: { issuer, clientId, ...(secret.trim() !== '' && { secret }) },
      });
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={isActive ? t`Replace the secret` : connection ? t`Change the connection` : t`Connect a provider`}
      width={600}
      onClose={onClose}
      submit={t`Save`}
    >
      {!isActive && (
        <>
          <TextField
            label={t`Issuer`}
            description={t`Such as https://login.microsoftonline.com/<tenant id>/v2.0 or https://example.okta.com.`}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            inputMode="url"
            required
            {...form.text('issuer')}
          />
          <TextField
            label={t`Client id`}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            required
            {...form.text('clientId')}
          />
        </>
      )}
      <TextField
        label={t`Client secret`}
        description={
          connection === null
            ? t`Stored encrypted, and never shown again.`
            : isActive
              ? t`It is tried at the provider before it replaces the previous one.`
              : t`Leave empty to keep the previous one.`
        }
        type="password"
        autoComplete="new-password"
        required={connection === null || isActive}
        {...form.text('secret')}
      />
    </FormDialog>
  );
}
