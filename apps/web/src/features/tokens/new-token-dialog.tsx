/** Creates an access token and shows it once. */
import { t } from '@lingui/core/macro';
import { listApplications } from '@vestibule/contract/applications';
import { createOrganizationToken } from '@vestibule/contract/organizations/tokens';
import { createToken, Scope } from '@vestibule/contract/profile/tokens';
import { useState } from 'react';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { SecretDialog } from '../../ui/dialog/secret-dialog.tsx';
import { CheckboxGroup } from '../../ui/fields/check-box.tsx';
import { FormDialog } from '../../ui/fields/form.tsx';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import { useForm } from '../../ui/fields/use-form.ts';
import { lifetimes, scopes, type TokenOrganization } from './token-texts.ts';

/** `application` is the id of the application that the token opens; empty for a token of the site. */
type Values = { name: string; application: string; scopes: Scope[]; permissions: string[]; days: string };

export function NewTokenDialog({
  organization,
  onClose,
  onMade,
}: {
  /** Null for a token of the site. */
  organization: TokenOrganization | null;
  onClose: () => void;
  onMade: () => void;
}) {
  const [made, setMade] = useState<string | null>(null);
  const form = useForm<Values>({
    initial: { name: '', application: '', scopes: [], permissions: [], days: '90' },
    async onSubmit({ name, application, scopes: chosen, permissions, days }) {
      const common = { name, days: Number(days) };
      const { token } = organization
        ? await call(createOrganizationToken, {
            params: { organizationId: organization.organizationId },
            body: { ...common, permissions },
          })
        : await call(createToken, {
            body: { ...common, scopes: application === '' ? chosen : [`application:${application}`] },
          });
      setMade(token);
      onMade();
    },
  });

  if (made)
    return (
      <SecretDialog title={t`Your access token`} secret={made} onClose={onClose}>
        {t`Copy it now and keep it where you keep passwords. It will not be shown again.`}
      </SecretDialog>
    );
  return (
    <FormDialog
      form={form}
      title={t`New access token`}
      width={600}
      onClose={onClose}
      submit={t`Create token`}
    >
      <TextField
        label={t`Purpose`}
        description={t`Shown in the activity log with everything it does.`}
        autoComplete="off"
        required
        {...form.text('name')}
      />
      {organization ? (
        <CheckboxGroup
          label={t`Permissions`}
          options={organization.permissions.map((value) => ({ value, label: organization.labelOf(value) }))}
          chosen={form.values.permissions}
          problem={form.errors['permissions']}
          onChange={(chosen) => form.set('permissions', chosen)}
        />
      ) : (
        <SiteScopes
          applicationField={form.text('application')}
          chosen={form.values.scopes}
          problem={form.errors['scopes']}
          onChange={(chosen) => form.set('scopes', chosen)}
        />
      )}
      <SelectField
        label={t`Expires after`}
        description={t`It can be revoked at any time.`}
        options={lifetimes()}
        {...form.text('days')}
      />
    </FormDialog>
  );
}

/** Permissions of a token of the site, or the one application that the token opens. */
function SiteScopes({
  applicationField,
  ...group
}: {
  applicationField: ReturnType<ReturnType<typeof useForm<Values>>['text']>;
  chosen: Scope[];
  problem: string | undefined;
  onChange: (chosen: Scope[]) => void;
}) {
  const applications = useApiQuery(listApplications, { key: ['applications'] }).data?.rows ?? [];
  return (
    <>
      {applications.length > 0 && (
        <SelectField
          label={t`For`}
          description={t`The owner of the token needs access to the application.`}
          options={[
            { value: '', label: t`The API of this site` },
            ...applications.map(({ id, name }) => ({ value: id, label: t`Only the application ${name}` })),
          ]}
          {...applicationField}
        />
      )}
      {applicationField.value === '' && (
        <CheckboxGroup
          label={t`Permissions`}
          options={Scope.options.map((value) => ({ value, ...scopes()[value] }))}
          {...group}
        />
      )}
    </>
  );
}
