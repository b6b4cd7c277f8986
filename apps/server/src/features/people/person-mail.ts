/** The mails that tell somebody what an administrator changed about them. Written when sent: the newest state counts. */
import type { Database } from '../../platform/database/database.ts';
import type { Mail, MailTemplate } from '../../platform/mail/mail-queue.ts';
import { writeDisabledMail } from '../mail/templates/disabled.ts';
import { writeRoleChangeMail } from '../mail/templates/role-change.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { findLanguage, findPerson, type PersonRow } from './people-store.ts';

export const roleChangedMailName = 'person-role-changed';
export const disabledMailName = 'person-disabled';

type Deps = { database: Database; settings: SettingsStore; publicUrl: string };

export function personMails(deps: Deps): Record<string, MailTemplate> {
  return {
    [roleChangedMailName]: personMail(
      deps,
      (person) => person.status === 'active',
      (person, language, values) => writeRoleChangeMail(language, { ...values, role: person.role }),
    ),
    [disabledMailName]: personMail(
      deps,
      (person) => person.status === 'disabled',
      (_person, language, values) => writeDisabledMail(language, values),
    ),
  };
}

function personMail(
  { database, settings, publicUrl }: Deps,
  isWanted: (person: PersonRow) => boolean,
  compose: (
    person: PersonRow,
    language: Parameters<typeof writeDisabledMail>[0],
    values: Parameters<typeof writeDisabledMail>[1],
  ) => Mail,
): MailTemplate {
  return {
    async write(personId) {
      const person = await findPerson(database, personId);
      if (!person || !isWanted(person)) return null;
      const [site, language] = await Promise.all([settings.current(), findLanguage(database, personId)]);
      return compose(person, language ?? site.mailLanguage, {
        to: { name: person.display_name, address: person.email },
        site: { ...site, publicUrl },
      });
    },
    // The change itself is in the activity log; whether its mail arrived decides nothing.
    sent: () => Promise.resolve(),
    failed: () => Promise.resolve(),
  };
}
