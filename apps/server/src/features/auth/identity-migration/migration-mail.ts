/** Mail with the personal link of an identity migration. The link's code is derived from the id at sending and is not stored. */
import type { SignInMethod } from '@vestibule/contract/configuration';
import { migrationLinkDays } from '@vestibule/contract/identity-migrations';
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail, MailJob, MailTemplate } from '../../../platform/mail/mail-queue.ts';
import { dayMs } from '../../../platform/time-units.ts';
import type { MailValues } from '../../mail/templates/layout.ts';
import { writeMigrationMail } from '../../mail/templates/sign-in-mails.ts';
import { mailToPerson } from '../../people/person-mail.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import { findMigrations, storeMailStatus, migrationStateOf } from './migration-store.ts';
import type { SignInContext } from '../sign-in-context.ts';

export const migrationMailName = 'move';
export const migrationMailJob = (migrationId: string): MailJob => ({
  template: migrationMailName,
  subjectId: migrationId,
});

const linkTo = (publicUrl: string, code: string) => `${publicUrl}/move?m=${code}`;

export function createMigrationMail(deps: SignInContext): MailTemplate {
  const { database } = deps;
  return {
    async write(migrationId) {
      const [migration] = await findMigrations(database, [migrationId]);
      const method = deps.signInMethods.find(({ id }) => id === migration?.way);
      if (!migration || !method || !['waiting', 'opened'].includes(migrationStateOf(migration, deps.now())))
        return null;
      const link = linkTo(deps.publicUrl, deps.shortCodes.codeOf(migrationId));
      return mailToPerson(deps, (language, values, { status }) =>
        status === 'active'
          ? writeMigrationMail(language, {
              ...values,
              link,
              methodLabel: method.name,
              expiresAt: migration.expires_at,
              isReminder: migration.reminded_at !== null,
            })
          : null,
      ).write(migration.person_id);
    },
    sent: (migrationId) => storeMailStatus(database, migrationId, 'sent', null),
    failed: (migrationId, error, isFinal) =>
      storeMailStatus(database, migrationId, isFinal ? 'failed' : 'queued', error),
  };
}

/** Returns a preview, whose link is invalid. */
export const writeSampleMail = async (
  deps: { settings: SettingsStore; publicUrl: string; now: () => number },
  to: MailValues['to'],
  { name: methodLabel }: SignInMethod,
  language: MailLanguage,
): Promise<Mail> =>
  writeMigrationMail(language, {
    to,
    site: { ...(await deps.settings.current()), publicUrl: deps.publicUrl },
    link: linkTo(deps.publicUrl, 'EXAMPLE'),
    methodLabel,
    expiresAt: new Date(deps.now() + migrationLinkDays * dayMs),
    isReminder: false,
  });
