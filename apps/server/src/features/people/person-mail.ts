/** Mails about changes by administrators. Written when sent, with the state at that time. */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail, MailTemplate } from '../../platform/mail/mail-queue.ts';
import type { MailDeps } from '../mail/mail-from-row.ts';
import {
  writeAddressChangeMail,
  writeDisabledMail,
  writeRoleChangeMail,
} from '../mail/templates/administration-mails.ts';
import type { MailValues } from '../mail/templates/layout.ts';
import { findLanguage, findPerson, type PersonRow } from './people-store.ts';

export const roleChangedMailName = 'person-role-changed';
export const disabledMailName = 'person-disabled';
/** The id of its jobs continues with the old address, the new one, and the one to which the mail goes. */
export const addressChangedMailName = 'person-address-changed';

export const personMails = (deps: MailDeps): Record<string, MailTemplate> => ({
  [roleChangedMailName]: mailToPerson(deps, (language, values, { status, role }) =>
    status === 'active' ? writeRoleChangeMail(language, { ...values, role }) : null,
  ),
  [disabledMailName]: mailToPerson(deps, (language, values, { status }) =>
    status === 'disabled' ? writeDisabledMail(language, values) : null,
  ),
  [addressChangedMailName]: mailToPerson(deps, (language, values, _person, rest) => {
    const [before = '', after = '', to = ''] = rest.split(' ');
    return writeAddressChangeMail(language, {
      ...values,
      to: { ...values.to, address: to },
      before,
      after,
    });
  }),
});

/** Creates a template. The subject id of its jobs is a person's id, optionally followed by a space and a text for `compose`. */
export const mailToPerson = (
  { database, settings, publicUrl }: MailDeps,
  compose: (
    language: MailLanguage,
    values: MailValues,
    person: PersonRow,
    rest: string,
  ) => Mail | null | Promise<Mail | null>,
): MailTemplate => ({
  async write(subjectId) {
    const [personId = '', ...rest] = subjectId.split(' ');
    const person = await findPerson(database, personId);
    if (!person) return null;
    const [site, language] = await Promise.all([settings.current(), findLanguage(database, personId)]);
    const values = {
      to: { name: person.display_name, address: person.email },
      site: { ...site, publicUrl },
    };
    return compose(language ?? site.mailLanguage, values, person, rest.join(' '));
  },
});
