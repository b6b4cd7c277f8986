import type { SignInMethod } from '@vestibule/contract/configuration';
import type { MailJob, MailTemplate } from '../../../platform/mail/mail-queue.ts';
import { writeIdentityChangeMail } from '../../mail/templates/sign-in-mails.ts';
import { mailToPerson, type PersonMailDeps } from '../../people/person-mail.ts';

const templateNames = { added: 'identity-added', removed: 'identity-removed' } as const;

export const identityMailJob = (
  change: keyof typeof templateNames,
  personId: string,
  method: string,
): MailJob => ({
  template: templateNames[change],
  subjectId: `${personId} ${method}`,
});

export function identityMails(
  deps: PersonMailDeps & { signInMethods: readonly SignInMethod[] },
): Record<string, MailTemplate> {
  const mail = (change: keyof typeof templateNames) =>
    mailToPerson(deps, (language, values, _person, method) =>
      writeIdentityChangeMail(language, {
        ...values,
        change,
        methodLabel: deps.signInMethods.find(({ id }) => id === method)?.name ?? method,
      }),
    );
  return { [templateNames.added]: mail('added'), [templateNames.removed]: mail('removed') };
}
