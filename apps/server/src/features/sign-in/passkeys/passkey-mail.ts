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
    [passkeyAddedMailName]: ofPasskey(deps, 'added'),
    [passkeyRenamedMailName]: ofPasskey(deps, 'renamed'),
    [passkeyRemovedMailName]: passkeyMail(deps, (personId) =>
      Promise.resolve({ personId, news: { kind: 'removed' } }),
    ),
    [signInResetMailName]: passkeyMail(deps, (personId) =>
      Promise.resolve({ personId, news: { kind: 'reset' } }),
    ),
  };
}

/** About a passkey that is there, by its name of now. */
function ofPasskey(deps: Deps, kind: 'added' | 'renamed'): MailTemplate {
  return passkeyMail(deps, async (passkeyId) => {
    const { rows } = await deps.database.query<{ personId: string; name: string }>({
      text: 'select person_id as "personId", name from passkeys where id = $1',
      values: [passkeyId],
    });
    const [row] = rows;
    return row ? { personId: row.personId, news: { kind, name: row.name } } : null;
  });
}

function passkeyMail(
  { database, settings, publicUrl }: Deps,
  newsOf: (subjectId: string) => Promise<{ personId: string; news: PasskeyNews } | null>,
): MailTemplate {
  return {
    async write(subjectId) {
      const found = await newsOf(subjectId);
      const person = found && (await findPerson(database, found.personId));
      if (!person) return null;
      const [site, language] = await Promise.all([settings.current(), findLanguage(database, person.id)]);
      return writePasskeyMail(language ?? site.mailLanguage, {
        to: { name: person.display_name, address: person.email },
        site: { ...site, publicUrl },
        news: found.news,
      });
    },
    // The change itself is in the activity log; whether its mail arrived decides nothing.
    sent: () => Promise.resolve(),
    failed: () => Promise.resolve(),
  };
}
