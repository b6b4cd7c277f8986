import { isStrongPassword } from '../tenant/passwords.ts';
import type { Field, FieldProblems } from '../pages/pages.ts';
import type { PageTexts } from '../pages/page-texts.ts';
import type { Form } from './step.ts';

/** Returns the e-mail field, with B2C's element id unless `more` overrides it. */
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

export function displayNameField(texts: PageTexts, value: string): Field {
  return { id: 'displayName', label: texts.displayName, value, autocomplete: 'name' };
}

/** Returns the two fields of a new password, with B2C's element ids. */
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

/** Returns the problems by field; empty if the password is valid. */
export function checkNewPassword(form: Form, texts: PageTexts): FieldProblems {
  const password = form.get('newPassword');
  if (password === '') return { newPassword: texts.newPasswordMissing };
  if (!isStrongPassword(password)) return { newPassword: texts.newPasswordWeak };
  if (password !== form.get('reenterPassword')) return { reenterPassword: texts.confirmationDiffers };
  return {};
}

/** Returns the problems by field; empty if the name is valid. */
export function checkDisplayName(name: string, texts: PageTexts): FieldProblems {
  if (name === '') return { displayName: texts.displayNameMissing };
  if (name.length > 100 || /[\p{Cc}\u2028\u2029]/u.test(name))
    return { displayName: texts.displayNameTooLong };
  return {};
}
