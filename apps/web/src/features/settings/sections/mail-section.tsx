import { t } from '@lingui/core/macro';
import { sendTestMail, type Settings } from '@vestibule/contract/settings';
import type { RouteResult } from '@vestibule/contract/route';
import { useState, type ReactNode } from 'react';
import { formatMessage } from '../../../language/format-message.ts';
import { call } from '../../../lib/call.ts';
import { Badge } from '../../../ui/marks/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { runWithErrorToast } from '../../../ui/toast/run-with-error-toast.ts';
import { MailPreviewDialog } from '../mail-preview-dialog.tsx';
import { SectionForm } from '../form/section-form.tsx';
import { mailFields } from '../form/setting-fields.ts';
import type { SettingsSection } from '../form/setting-form.ts';

const transports = (): Record<Settings['mail'], string> => ({
  smtp: t`Your mail server`,
  'development-mailbox': t`The development mailbox, which does not deliver e-mails`,
  off: t`E-mail is turned off. Copy the link of an invitation and pass it on yourself.`,
});

const connections = (): Record<NonNullable<Settings['mailConnection']>, string> => ({
  tls: t`Encrypted from the start (smtps)`,
  starttls: t`Encrypted with STARTTLS; nothing is sent to a server that does not offer it`,
  local: t`To a mail server on the same machine`,
  plain: t`Not encrypted: the password and all e-mails, with their links, can be read in transit`,
});

export function MailSection(section: SettingsSection) {
  const { settings } = section;
  const [previewing, setPreviewing] = useState(false);
  return (
    <>
      <SectionForm
        section={section}
        area="e-mail"
        facts={[
          { name: t`Delivered by`, value: transports()[settings.mail], variable: 'SMTP_URL' },
          ...(settings.mailConnection
            ? [
                {
                  name: t`Connection`,
                  value: connections()[settings.mailConnection],
                  variable: settings.mailConnection === 'plain' ? 'SMTP_ALLOW_PLAIN_TEXT' : 'SMTP_URL',
                },
              ]
            : []),
        ]}
        fields={mailFields()}
      />
      <TestMail off={settings.mail === 'off'}>
        <Button onClick={() => setPreviewing(true)}>{t`Preview e-mails`}</Button>
      </TestMail>
      {previewing && (
        <MailPreviewDialog language={settings.mailLanguage.value} onClose={() => setPreviewing(false)} />
      )}
    </>
  );
}

function TestMail({ off, children }: { off: boolean; children: ReactNode }) {
  const [answer, setAnswer] = useState<RouteResult<typeof sendTestMail> | null>(null);
  const send = () => {
    setAnswer(null);
    return runWithErrorToast(async () => setAnswer(await call(sendTestMail, { body: {} })));
  };
  return (
    <div className="settings-more stack">
      <div className="settings-foot">
        {!off && <Button onClick={send}>{t`Send me a test e-mail`}</Button>}
        {children}
      </div>
      <output className="settings-answer">
        {answer && (
          <>
            <Badge tone={answer.accepted ? 'success' : 'danger'}>
              {answer.accepted ? t`Accepted` : t`Not sent`}
            </Badge>
            <span>
              {answer.accepted
                ? t`The mail server accepted the e-mail to ${answer.to}.`
                : t`The e-mail to ${answer.to} was not sent.`}
            </span>
            <q className="settings-said">{answer.said}</q>
            <span>{formatMessage(answer.adviceText)}</span>
          </>
        )}
      </output>
    </div>
  );
}
