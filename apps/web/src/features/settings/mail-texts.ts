import { t } from '@lingui/core/macro';
import type { MailTemplateName } from '@vestibule/contract/settings';
import type { MailLanguage } from '@vestibule/contract/settings/rules';

export const languageOptions = (): readonly { value: MailLanguage; label: string }[] => [
  { value: 'en', label: t`English` },
  { value: 'de', label: t`German` },
];

export const templateOptions = (): readonly { value: MailTemplateName; label: string }[] => [
  { value: 'invitation', label: t`Invitation` },
  { value: 'reminder', label: t`Reminder` },
  { value: 'new-link', label: t`New link` },
  { value: 'role-change', label: t`Change of role` },
  { value: 'disabled', label: t`Access disabled` },
];
