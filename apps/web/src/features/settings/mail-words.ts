/** What the mails and their languages are called. */
import type { MailLanguage, MailTemplateName } from '@vestibule/contract/settings';

export const languageOptions: readonly { value: MailLanguage; label: string }[] = [
  { value: 'en', label: 'English' },
  { value: 'de', label: 'German' },
];

export const templateOptions: readonly { value: MailTemplateName; label: string }[] = [
  { value: 'invitation', label: 'Invitation' },
  { value: 'reminder', label: 'Reminder' },
  { value: 'new-link', label: 'New link' },
  { value: 'role-change', label: 'Change of role' },
  { value: 'disabled', label: 'Access switched off' },
];
