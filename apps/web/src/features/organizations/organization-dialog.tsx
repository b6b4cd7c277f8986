import { t } from '@lingui/core/macro';
import {
  changeOrganization,
  createOrganization,
  NewOrganization,
  seatLimitMaximum,
  type Organization,
} from '@vestibule/contract/organizations';
import { suggestSlug } from '@vestibule/contract/rules/slug';
import { useState } from 'react';
import { call } from '../../lib/call.ts';
import { problemsByField } from '../../lib/field-problems.ts';
import { CheckBox } from '../../ui/fields/check-box.tsx';
import { DateField } from '../../ui/fields/date-field.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { FormDialog } from '../../ui/fields/form.tsx';
import { NumberField } from '../../ui/fields/number-field.tsx';
import { useForm } from '../../ui/fields/use-form.ts';
import { toast } from '../../ui/toast/toast.tsx';

/** Values of the fields. The organization ends at the end of the last day in UTC. */
type Values = {
  name: string;
  slug: string;
  seatLimit: number | null;
  expiresAt: string;
  singleSignOn: boolean;
};

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
      seatLimit: organization?.seatLimit ?? null,
      expiresAt: organization?.expiresAt ? lastDayOf(organization.expiresAt) : '',
      singleSignOn: organization?.singleSignOn ?? false,
    },
    validate: (values) => problemsByField(NewOrganization, toBody(values, organization)),
    async onSubmit(values) {
      const body = toBody(values, organization);
      if (organization)
        await call(changeOrganization, {
          params: { organizationId: organization.id },
          query: { version: organization.version },
          body: { ...body, singleSignOn: values.singleSignOn },
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
      <NumberField
        label={t`Seats`}
        description={t`The largest number of members. Leave empty for no limit.`}
        min={1}
        max={seatLimitMaximum}
        {...form.number('seatLimit')}
      />
      <DateField
        label={t`Last day`}
        description={t`After this day the organization is closed to its members. Leave empty for no end.`}
        {...form.text('expiresAt')}
      />
      {organization && (
        <CheckBox
          checked={form.values.singleSignOn}
          onChange={(singleSignOn) => form.set('singleSignOn', singleSignOn)}
        >
          {t`Managers may connect their own sign-in provider`}
        </CheckBox>
      )}
    </FormDialog>
  );
}

function toBody({ name, slug, seatLimit, expiresAt }: Values, organization: Organization | null) {
  const before = organization?.expiresAt ?? null;
  // An unchanged day keeps the time that a program may have set.
  const isChanged = expiresAt !== (before === null ? '' : lastDayOf(before));
  return {
    name,
    slug,
    seatLimit,
    expiresAt: isChanged ? endOf(expiresAt) : before,
  };
}

const endOf = (day: string) =>
  day === '' ? null : new Date(Date.parse(`${day}T00:00:00Z`) + dayMs).toISOString();

/** The day before the time, or the day of the time if it is not midnight in UTC. */
const lastDayOf = (expiresAt: string) => new Date(Date.parse(expiresAt) - 1).toISOString().slice(0, 10);
