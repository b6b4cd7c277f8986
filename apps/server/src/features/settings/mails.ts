/** Previews of mails with sample content, and the test mail. */
import { getMailPreview, sendTestMail, type MailTemplateName } from '@vestibule/contract/settings';
import { testMailAdvice } from '@vestibule/contract/settings/mail-advice';
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import { createMessage, type Message } from '@vestibule/contract/texts/text';
import { settingsAudit, recordChange } from '../../platform/audit/audit-log.ts';
import type { Config } from '../../platform/config/read-config.ts';
import type { CoreDeps } from '../../platform/database/database.ts';
import { createRateLimit } from '../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../platform/http/implement.ts';
import { describeMailError, type Mail } from '../../platform/mail/mail-queue.ts';
import { withTimeout } from '../../platform/timers.ts';
import { dayMs } from '../../platform/time-units.ts';
import { adviseOnTestMail } from '../mail/mail-advice.ts';
import {
  writeDisabledMail,
  writeRoleChangeMail,
  writeTestMail,
} from '../mail/templates/administration-mails.ts';
import {
  writeInvitationMail,
  writeNewLinkMail,
  writeReminderMail,
  type InvitationMailValues,
} from '../mail/templates/invitation-mails.ts';
import { inColorScheme, type MailValues } from '../mail/templates/layout.ts';
import type { SettingsStore } from './settings-store.ts';

/** Sends a mail immediately and returns the reply of the mail server. */
export type SendImmediately = (mail: Mail, messageId: string) => Promise<string>;

/** Shorter than the request timeout of browsers. */
const sendTimeoutMs = 12_000;

const sampleMessages: Record<MailLanguage, string> = {
  en: 'We have moved everything to the new portal.\nSee you inside!',
  de: 'Wir sind mit allem in das neue Portal umgezogen.\nBis gleich!',
};

export type MailsDeps = CoreDeps & {
  config: Config;
  settings: SettingsStore;
  /** Null if mail is disabled. */
  sendNow: SendImmediately | null;
  /** Called after a test mail was accepted. */
  recordOnboardingStep: (step: 'mail_tested_at') => Promise<void>;
};

export function mails(deps: MailsDeps): Implementation[] {
  const { config, now } = deps;
  const attempts = createRateLimit(deps, { name: 'test mail', maximum: 5, windowSeconds: 60 });

  const valuesFor = async (to: MailValues['to']): Promise<MailValues> => ({
    to,
    site: { ...(await deps.settings.current()), publicUrl: config.publicUrl },
  });

  return [
    implement(getMailPreview, async ({ params, query, caller }) => {
      const values = await valuesFor({ name: caller.displayName, address: caller.email });
      const mail = writeSample(params.template, query.language, values, {
        invitedBy: { name: caller.displayName, address: caller.email },
        expiresAt: new Date(now() + 7 * dayMs),
      });
      return { subject: mail.subject, text: mail.text, html: inColorScheme(mail.html, query.scheme) };
    }),

    implement(sendTestMail, async ({ body, caller, origin }) => {
      assertWithinRateLimit(await attempts.take(caller.id));
      const to = caller.email;
      const result = (accepted: boolean, reply: string, advice: Message) => ({
        to,
        accepted,
        said: reply,
        advice: advice.message,
        adviceText: advice,
      });
      if (!deps.sendNow)
        return result(false, 'E-mail is turned off (SMTP_URL=off).', createMessage(testMailAdvice.off));
      const entry = settingsAudit.entry({ id: 'testMail', label: to }, 'settings.test_mail', {
        caller,
        origin,
      });
      await recordChange(deps.database, entry);
      const mail = writeTestMail(
        body.language ?? (await deps.settings.current()).mailLanguage,
        await valuesFor({ name: caller.displayName, address: to }),
      );
      const messageId = `<${deps.newId()}@${new URL(config.publicUrl).hostname}>`;
      try {
        const reply = await withTimeout(deps.sendNow(mail, messageId), sendTimeoutMs, throwTimeout);
        await deps.recordOnboardingStep('mail_tested_at');
        return result(true, reply, createMessage(testMailAdvice.sent));
      } catch (error) {
        const reply = describeMailError(error);
        return result(false, reply, adviseOnTestMail(reply));
      }
    }),
  ];
}

function writeSample(
  template: MailTemplateName,
  language: MailLanguage,
  values: MailValues,
  { invitedBy, expiresAt }: Pick<InvitationMailValues, 'invitedBy' | 'expiresAt'>,
): Mail {
  // A link without a valid code.
  const link = `${values.site.publicUrl}/signup?i=EXAMPLE`;
  switch (template) {
    case 'invitation':
      return writeInvitationMail(language, {
        ...values,
        link,
        expiresAt,
        invitedBy,
        message: sampleMessages[language],
      });
    case 'reminder':
      return writeReminderMail(language, { ...values, link, expiresAt });
    case 'new-link':
      return writeNewLinkMail(language, { ...values, link, expiresAt });
    case 'role-change':
      return writeRoleChangeMail(language, { ...values, role: 'admin' });
    case 'disabled':
      return writeDisabledMail(language, values);
  }
}

function throwTimeout(): never {
  throw new Error('Timed out: the mail server gave no answer in 12 s.');
}
