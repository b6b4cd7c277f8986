/** The mail with the personal link of a move. Written when it is sent: its code is derived from the move, and stored nowhere. */
import type { SignInMethod } from '@vestibule/contract/configuration';
import { migrationLinkDays } from '@vestibule/contract/identity-migrations';
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail, MailJob, MailTemplate } from '../../../platform/mail/mail-queue.ts';
import type { MailValues } from '../../mail/templates/layout.ts';
import { writeMigrationMail } from '../../mail/templates/identity-migration.ts';
import { findLanguage, findPerson } from '../../people/people-store.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import { findMigrations, storeMailStatus, migrationStateOf } from './migration-store.ts';
import type { SignInContext } from '../sign-in-context.ts';

export const migrationMailName = 'move';
export const migrationMailJob = (moveId: string): MailJob => ({
  template: migrationMailName,
  subjectId: moveId,
});

const linkTo = (publicUrl: string, code: string) => `${publicUrl}/move?m=${code}`;

type Deps = { settings: SettingsStore; publicUrl: string; now: () => number };

export function createMigrationMail(deps: SignInContext): MailTemplate {
  const { database, settings, publicUrl } = deps;
  return {
    async write(moveId) {
      const [move] = await findMigrations(database, [moveId]);
      const way = deps.signInMethods.find(({ id }) => id === move?.way);
      if (!move || !way || !['waiting', 'opened'].includes(migrationStateOf(move, deps.now()))) return null;
      const person = await findPerson(database, move.person_id);
      if (person?.status !== 'active') return null;
      const [site, language] = await Promise.all([settings.current(), findLanguage(database, person.id)]);
      return writeMigrationMail(language ?? site.mailLanguage, {
        to: { name: person.display_name, address: person.email },
        site: { ...site, publicUrl },
        link: linkTo(publicUrl, deps.shortCodes.codeOf(moveId)),
        methodLabel: way.name,
        expiresAt: move.expires_at,
        isReminder: move.reminded_at !== null,
      });
    },
    sent: (moveId) => storeMailStatus(database, moveId, 'sent', null),
    failed: (moveId, error, final) => storeMailStatus(database, moveId, final ? 'failed' : 'queued', error),
  };
}

/** As somebody would get it now; its link looks like one and opens nothing. */
export async function writeSampleMail(
  deps: Deps,
  to: MailValues['to'],
  { name: methodLabel }: SignInMethod,
  language: MailLanguage,
): Promise<Mail> {
  return writeMigrationMail(language, {
    to,
    site: { ...(await deps.settings.current()), publicUrl: deps.publicUrl },
    link: linkTo(deps.publicUrl, 'EXAMPLE'),
    methodLabel,
    expiresAt: new Date(deps.now() + migrationLinkDays * 24 * 3_600_000),
    isReminder: false,
  });
}
