import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import {
  applicationIconMaximumBytes,
  changeApplication,
  createApplication,
  type AccessEntry,
  type Application,
  type NamedAccess,
} from '@vestibule/contract/applications';
import { useState } from 'react';
import { formatSize } from '../../language/formats.ts';
import { call } from '../../lib/call.ts';
import { TextField } from '../../ui/fields/field.tsx';
import { FormDialog } from '../../ui/fields/form.tsx';
import { PictureField } from '../../ui/fields/picture-field.tsx';
import { useForm, type FieldErrors } from '../../ui/fields/use-form.ts';
import { toast } from '../../ui/toast/toast.tsx';
import { AccessField } from './access-field.tsx';

/** `icon` is base64, or undefined while the stored icon is unchanged. */
type Values = { name: string; address: string; icon: string | null | undefined; access: NamedAccess[] };

/** Registers an application, or changes `application`. */
export function ApplicationDialog({
  application,
  hasOrganizations,
  onSaved,
  onCreated,
  onClose,
}: {
  application: Application | null;
  hasOrganizations: boolean;
  onSaved: () => void;
  onCreated: (application: Application) => void;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const [preview, setPreview] = useState(application?.iconUrl ?? null);
  const form = useForm<Values>({
    initial: {
      name: application?.name ?? '',
      address: application?.address ?? '',
      icon: undefined,
      access: application?.access ?? [],
    },
    // With an empty list, for example after a choice without Add, the application would refuse all users.
    validate: ({ name, address, access }): FieldErrors =>
      name === '' || address === '' || access.length > 0
        ? {}
        : { access: t`Add who may use it: choose, and press Add.` },
    async onSubmit(values) {
      const body = toBody(values);
      const saved = application
        ? await call(changeApplication, {
            params: { applicationId: application.id },
            body: { ...body, version: application.version },
          })
        : await call(createApplication, { body });
      toast.success(application ? t`${saved.name} has been changed.` : t`${saved.name} has been added.`);
      void queries.invalidateQueries({ queryKey: ['my applications'] });
      onSaved();
      if (application) onClose();
      else onCreated(saved);
    },
  });
  const maximum = formatSize(applicationIconMaximumBytes);

  return (
    <FormDialog
      form={form}
      title={application ? t`Change application` : t`New application`}
      onClose={onClose}
      submit={application ? t`Save` : t`Add application`}
    >
      <TextField label={t`Name`} autoComplete="off" required {...form.text('name')} />
      <TextField
        label={t`Address`}
        description={t`The address that users open, without a path, such as https://wiki.example.com. Each application has its own host name.`}
        inputMode="url"
        autoComplete="off"
        required
        {...form.text('address')}
      />
      <PictureField
        label={t`Icon`}
        note={t`PNG, JPEG or WebP, at most ${maximum}. Optional.`}
        inputLabel={t`Picture for the icon`}
        pictureLabel={t`Current icon`}
        picture={preview}
        maximumBytes={applicationIconMaximumBytes}
        problem={form.errors['icon']}
        onChange={(icon, type) => {
          form.set('icon', icon);
          setPreview(icon && `data:${type};base64,${icon}`);
        }}
      />
      <AccessField
        access={form.values.access}
        hasOrganizations={hasOrganizations}
        problem={form.errors['access']}
        onChange={(access) => form.set('access', access)}
      />
    </FormDialog>
  );
}

const toBody = ({ name, address, icon, access }: Values) => ({
  name,
  address,
  access: access.map(toEntry),
  ...(icon !== undefined && { icon }),
});

function toEntry({ kind, role, organizationId, roleId, groupId, personId }: NamedAccess): AccessEntry {
  switch (kind) {
    case 'siteRole':
      return { kind, role: role ?? 'admin' };
    case 'organization':
      return { kind, organizationId, roleId };
    case 'group':
      return { kind, groupId: groupId ?? '' };
    case 'person':
      return { kind, personId: personId ?? '' };
    case 'everyone':
      return { kind };
  }
}
