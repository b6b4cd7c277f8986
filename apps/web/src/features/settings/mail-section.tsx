/** Settings, "Mail": the sender, the language, a test mail, and how mails look. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { sendTestMail, type Settings } from '@vestibule/contract/settings';
import type { RouteResult } from '@vestibule/contract/route';
import { useState, type ReactNode } from 'react';
import { tell } from '../../language/tell.ts';
import { describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { languageOptions } from './mail-words.ts';
import { MailPreviewDialog } from './mail-preview-dialog.tsx';
import { SectionForm } from './form/section-form.tsx';
import type { SettingsSection } from './form/setting-form.ts';

const ways = (): Record<Settings['mail'], string> => ({
  smtp: t`Your mail server (SMTP_URL)`,
  'development-mailbox': t`The development mailbox, which delivers to nobody`,
  off: t`Nobody: e-mail is switched off (SMTP_URL=off). Copy the link of an invitation and pass it on yourself.`,
});

const connections = (): Record<NonNullable<Settings['mailConnection']>, string> => ({
  tls: t`Encrypted from the start (smtps)`,
  starttls: t`Encrypted with STARTTLS; nothing is sent to a server that does not offer it`,
  local: t`To a mail server on the same machine`,
  plain: t`Not encrypted, as SMTP_ALLOW_PLAIN_TEXT allows: the password and all e-mails, with their links, can be read in transit`,
});

export function MailSection(section: SettingsSection) {
  const { settings } = section;
  const [previewing, setPreviewing] = useState(false);
  return (
    <Card title={t`E-mail`}>
      <SectionForm
        section={section}
        draft="settings-mail"
        facts={[
          { name: t`Delivered by`, value: ways()[settings.mail] },
          ...(settings.mailConnection
            ? [{ name: t`Connection`, value: connections()[settings.mailConnection] }]
            : []),
        ]}
        fields={[
          { name: 'senderName', label: t`Sender's name` },
          {
            name: 'senderAddress',
            label: t`Sender's address`,
            description: t`Your mail server must be allowed to send for it.`,
            kind: 'email',
          },
          {
            name: 'mailLanguage',
            label: t`Language`,
            description: t`For e-mails with no other language chosen.`,
            kind: 'choice',
            options: languageOptions(),
          },
        ]}
      />
      <TestMail off={settings.mail === 'off'}>
        <Button onClick={() => setPreviewing(true)}>
          <Trans>Preview e-mails</Trans>
        </Button>
      </TestMail>
      {previewing && (
        <MailPreviewDialog language={settings.mailLanguage.value} onClose={() => setPreviewing(false)} />
      )}
    </Card>
  );
}

function TestMail({ off, children }: { off: boolean; children: ReactNode }) {
  const [answer, setAnswer] = useState<RouteResult<typeof sendTestMail> | null>(null);
  const send = async () => {
    setAnswer(null);
    try {
      setAnswer(await call(sendTestMail, { body: {} }));
    } catch (error) {
      toast.failure(describeFailure(error));
    }
  };
  return (
    <div className="settings-more">
      <div className="settings-foot">
        {!off && (
          <Button onClick={send}>
            <Trans>Send me a test e-mail</Trans>
          </Button>
        )}
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
            <span>{tell(answer.adviceText)}</span>
          </>
        )}
      </output>
    </div>
  );
}
