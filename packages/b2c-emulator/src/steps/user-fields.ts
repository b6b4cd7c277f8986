import { isStrongPassword } from '../tenant/passwords.ts';
import type { Field, FieldProblems } from '../pages/pages.ts';
import type { PageTexts } from '../pages/page-texts.ts';
import type { Form } from './step.ts';

/** The field of somebody's e-mail address, with B2C's id unless `more` names another. */
export function addressField(texts: PageTexts, value: string, more: Partial<Field>): Field {
  return {
    id: 'email',
    label: texts.emailAddress,
    type: 'email',
    value,
    autocomplete: 'username',
    ...more,
  };
}

/** The field of what somebody is called. */
export function displayNameField(texts: PageTexts, value: string): Field {
  return { id: 'displayName', label: texts.displayName, value, autocomplete: 'name' };
}

/** The two fields of a new password, with B2C's ids. */
export function newPasswordFields(texts: PageTexts): Field[] {
  return [
    {
      id: 'newPassword',
      label: texts.newPassword,
      type: 'password',
      note: texts.passwordRule,
      autocomplete: 'new-password',
    },
    {
      id: 'reenterPassword',
      label: texts.confirmNewPassword,
      type: 'password',
      autocomplete: 'new-password',
    },
  ];
}

/** What is wrong with the two fields; empty when the password can be taken. */
export function checkNewPassword(form: Form, texts: PageTexts): FieldProblems {
  const password = form.get('newPassword');
  if (password === '') return { newPassword: texts.newPasswordMissing };
  if (!isStrongPassword(password)) return { newPassword: texts.newPasswordWeak };
  if (password !== form.get('reenterPassword')) return { reenterPassword: texts.confirmationDiffers };
  return {};
}

/** What is wrong with a display name; empty when it can be taken. */
export function checkDisplayName(name: string, texts: PageTexts): FieldProblems {
  if (name === '') return { displayName: texts.displayNameMissing };
  if (name.length > 100 || /[\p{Cc}\u2028\u2029]/u.test(name))
    return { displayName: texts.displayNameTooLong };
  return {};
}
