import { t } from '@lingui/core/macro';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { extensionSettings } from 'virtual:extensions';
import { formatMessage } from '../../language/format-message.ts';
import {
  invitationFields,
  retentionFields,
  mailFields,
  passkeyFields,
  sessionFields,
  siteFields,
  type SettingField,
} from './form/setting-fields.ts';

export type AreaId =
  | 'site'
  | 'sign-in'
  | 'invitations'
  | 'e-mail'
  | 'retention'
  | 'provider'
  | 'directory'
  | 'tokens'
  | 'webhooks'
  | 'organizations'
  | 'safety'
  | `extension-${string}`;

/** `id` is the last segment of the address. `also` contains the labels of further content. */
export type Area = { id: AreaId; title: string; fields?: readonly SettingField[]; also?: readonly string[] };

/** Returns the sections that apply to these sign-in methods. */
export function areasFor(signInMethods: readonly Pick<SignInMethod, 'kind'>[]): readonly Area[] {
  const has = (...kinds: SignInMethod['kind'][]) => signInMethods.some(({ kind }) => kinds.includes(kind));
  const signIn: Area = {
    id: 'sign-in',
    title: t`Sign-in`,
    fields: [...(has('passkeys') ? passkeyFields() : []), ...sessionFields()],
  };
  return [
    { id: 'site', title: t`This site`, fields: siteFields(), also: [t`Logo`] },
    ...(has('oidc', 'passkeys') ? [signIn] : []),
    { id: 'invitations', title: t`Invitations`, fields: invitationFields() },
    {
      id: 'e-mail',
      title: t`E-mail`,
      fields: mailFields(),
      also: [t`Send me a test e-mail`, t`Preview e-mails`],
    },
    { id: 'retention', title: t`Retention`, fields: retentionFields() },
    ...(has('b2c', 'oidc')
      ? [{ id: 'provider' as const, title: t`Sign-in provider check`, also: [t`Check the provider`] }]
      : []),
    { id: 'directory', title: t`Directory sync (SCIM)` },
    { id: 'tokens', title: t`Access tokens`, also: [t`New token`] },
    { id: 'webhooks', title: t`Webhooks`, also: [t`New webhook`] },
    { id: 'organizations', title: t`Organizations` },
    { id: 'safety', title: t`Security` },
    ...extensionSettings.map(({ name, label, settings }) => ({
      id: `extension-${name}` as const,
      title: formatMessage({ code: `extension:${name}`, message: label }),
      also: settings.map(([setting, message]) =>
        formatMessage({ code: `setting:${name}.${setting}`, message }),
      ),
    })),
  ];
}
