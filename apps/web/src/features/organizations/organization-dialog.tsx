import { t } from '@lingui/core/macro';
import {
  changeOrganization,
  createOrganization,
  NewOrganization,
  type Organization,
} from '@vestibule/contract/organizations';
import { suggestSlug } from '@vestibule/contract/rules/slug';
import { useState } from 'react';
import { call } from '../../lib/call.ts';
import { problemsByField } from '../../lib/field-problems.ts';
import { TextField } from '../../ui/fields/field.tsx';
import { FormDialog } from '../../ui/fields/form.tsx';
import { useForm } from '../../ui/fields/use-form.ts';
import { toast } from '../../ui/toast/toast.tsx';

/** Texts of the fields. The organization ends at the end of the last day in UTC. */
type Values = { name: string; slug: string; seatLimit: string; expiresAt: string };

const dayMs = 86_400_000;

/** Creates an organization, or changes `organization`. */
export function OrganizationDialog({
  organization,
  onClose,
  onSaved,
}: {
  organization: Organization | null;
  onClose: () => void;
  onSaved: () => void;
}) {
  // The short name follows the name until the user edits it.
  const [followsName, setFollowsName] = useState(organization === null);
  const form = useForm<Values>({
    initial: {
      name: organization?.name ?? '',
      slug: organization?.slug ?? '',
      seatLimit: String(organization?.seatLimit ?? ''),
      expiresAt: organization?.expiresAt ? lastDayOf(organization.expiresAt) : '',
    },
    validate: (values) => problemsByField(NewOrganization, toBody(values)),
    async onSubmit(values) {
      const body = toBody(values);
      if (organization)
        await call(changeOrganization, {
          params: { organizationId: organization.id },
          query: { version: organization.version },
          body,
        });
      else await call(createOrganization, { body });
      toast.success(organization ? t`${body.name} has been changed.` : t`${body.name} has been created.`);
      onSaved();
      onClose();
    },
  });
  const name = form.text('name');
  const slug = form.text('slug');
  return (
    <FormDialog
      form={form}
      title={organization ? t`Change organization` : t`New organization`}
      onClose={onClose}
      submit={organization ? t`Save` : t`Create organization`}
    >
      <TextField
        label={t`Name`}
        autoComplete="off"
        required
        {...name}
        onChange={(event) => {
          name.onChange(event);
          if (followsName) form.set('slug', suggestSlug(event.target.value));
        }}
      />
      <TextField
        label={t`Short name`}
        description={t`Part of addresses, such as acme. Letters a to z, digits and hyphens.`}
        autoComplete="off"
        required
        {...slug}
        onChange={(event) => {
          setFollowsName(false);
          slug.onChange(event);
        }}
      />
      <TextField
        label={t`Seats`}
        description={t`The largest number of members. Leave empty for no limit.`}
        inputMode="numeric"
        autoComplete="off"
        {...form.text('seatLimit')}
      />
      <TextField
        label={t`Last day`}
        description={t`After this day the organization is closed to its members. Leave empty for no end.`}
        type="date"
        {...form.text('expiresAt')}
      />
    </FormDialog>
  );
}

function toBody({ name, slug, seatLimit, expiresAt }: Values) {
  return {
    name,
    slug,
    seatLimit: seatLimit.trim() === '' ? null : Number(seatLimit),
    expiresAt: expiresAt === '' ? null : new Date(Date.parse(`${expiresAt}T00:00:00Z`) + dayMs).toISOString(),
  };
}

const lastDayOf = (expiresAt: string) => new Date(Date.parse(expiresAt) - dayMs).toISOString().slice(0, 10);
