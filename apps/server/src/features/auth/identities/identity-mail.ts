/** The mails about accounts that sign somebody in from now on, or no longer. */
import type { SignInMethod } from '@vestibule/contract/configuration';
import type { MailJob, MailTemplate } from '../../../platform/mail/mail-queue.ts';
import { writeIdentityChangeMail } from '../../mail/templates/identity-change.ts';
import { mailToPerson, type PersonMailDeps } from '../../people/person-mail.ts';

const templateOf = { added: 'identity-added', removed: 'identity-removed' } as const;

export const identityMailJob = (change: keyof typeof templateOf, personId: string, way: string): MailJob => ({
  template: templateOf[change],
  subjectId: `${personId} ${way}`,
});

export function identityMails(
  deps: PersonMailDeps & { signInMethods: readonly SignInMethod[] },
): Record<string, MailTemplate> {
  const mail = (change: keyof typeof templateOf) =>
    mailToPerson(deps, (language, values, _person, way) =>
      writeIdentityChangeMail(language, {
        ...values,
        change,
        way: deps.signInMethods.find(({ id }) => id === way)?.name ?? way,
      }),
    );
  return { [templateOf.added]: mail('added'), [templateOf.removed]: mail('removed') };
}
