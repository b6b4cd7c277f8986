/** The mails about accounts that sign somebody in from now on, or no longer. */
import type { SignInWay } from '@vestibule/contract/configuration';
import type { Database } from '../../../platform/database/database.ts';
import type { MailJob, MailTemplate } from '../../../platform/mail/mail-queue.ts';
import { writeIdentityChangeMail } from '../../mail/templates/identity-change.ts';
import { findLanguage, findPerson } from '../../people/people-store.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';

const templateOf = { added: 'identity-added', removed: 'identity-removed' } as const;

export const identityMailJob = (change: keyof typeof templateOf, personId: string, way: string): MailJob => ({
  template: templateOf[change],
  subjectId: `${personId} ${way}`,
});

export function identityMails(deps: {
  database: Database;
  settings: SettingsStore;
  ways: readonly SignInWay[];
  publicUrl: string;
}): Record<string, MailTemplate> {
  const mail = (change: keyof typeof templateOf): MailTemplate => ({
    async write(subjectId) {
      const [personId = '', way] = subjectId.split(' ');
      const person = await findPerson(deps.database, personId);
      if (!person) return null;
      const [site, language] = await Promise.all([
        deps.settings.current(),
        findLanguage(deps.database, personId),
      ]);
      return writeIdentityChangeMail(language ?? site.mailLanguage, {
        to: { name: person.display_name, address: person.email },
        site: { ...site, publicUrl: deps.publicUrl },
        change,
        way: deps.ways.find(({ id }) => id === way)?.name ?? (way as string),
      });
    },
    // The change itself is in the activity log; whether its mail arrived decides nothing.
    sent: () => Promise.resolve(),
    failed: () => Promise.resolve(),
  });
  return { [templateOf.added]: mail('added'), [templateOf.removed]: mail('removed') };
}
