/** The mails that tell somebody that their ways to sign in have changed. */
import type { Database } from '../../../platform/database/database.ts';
import type { MailTemplate } from '../../../platform/mail/mail-queue.ts';
import { writePasskeyMail, type PasskeyNews } from '../../mail/templates/passkey.ts';
import { findLanguage, findPerson } from '../../people/people-store.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import { passkeyAddedMailName, passkeyRemovedMailName, passkeyRenamedMailName } from './passkey-changes.ts';

export const signInResetMailName = 'sign-in-reset';

type Deps = { database: Database; settings: SettingsStore; publicUrl: string };

export function passkeyMails(deps: Deps): Record<string, MailTemplate> {
  return {
    [passkeyAddedMailName]: passkeyMail(deps, (name) => ({ kind: 'added', name })),
    [passkeyRenamedMailName]: passkeyMail(deps, (name) => ({ kind: 'renamed', name })),
    [passkeyRemovedMailName]: passkeyMail(deps, () => ({ kind: 'removed' })),
    [signInResetMailName]: passkeyMail(deps, () => ({ kind: 'reset' })),
  };
}

/** Its subject is a person, and the name of a passkey where there is one. */
function passkeyMail(
  { database, settings, publicUrl }: Deps,
  newsOf: (name: string) => PasskeyNews,
): MailTemplate {
  return {
    async write(subjectId) {
      const [personId = '', ...name] = subjectId.split(' ');
      const person = await findPerson(database, personId);
      if (!person) return null;
      const [site, language] = await Promise.all([settings.current(), findLanguage(database, person.id)]);
      return writePasskeyMail(language ?? site.mailLanguage, {
        to: { name: person.display_name, address: person.email },
        site: { ...site, publicUrl },
        news: newsOf(name.join(' ')),
      });
    },
    // The change itself is in the activity log; whether its mail arrived decides nothing.
    sent: () => Promise.resolve(),
    failed: () => Promise.resolve(),
  };
}
