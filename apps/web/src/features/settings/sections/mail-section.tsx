import { t } from '@lingui/core/macro';
import {
  sendTestMail,
  type Settings,
  getMailPreview,
  type MailTemplateName,
} from '@vestibule/contract/settings';
import type { RouteResult } from '@vestibule/contract/route';
import { useState, type ReactNode } from 'react';
import { formatMessage } from '../../../language/format-message.ts';
import { call } from '../../../lib/call.ts';
import { Badge } from '../../../ui/marks/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { runWithErrorToast } from '../../../ui/toast/toast.tsx';
import { SectionForm, type SettingsSection } from '../form/section-form.tsx';
import { mailFields, languageOptions } from '../form/setting-fields.ts';
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import { useApiQuery } from '../../../lib/use-api-query.ts';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { Loading } from '../../../ui/states.tsx';
import { ScrollRegion } from '../../../ui/shell/scroll-region.tsx';
import { SelectField } from '../../../ui/fields/field.tsx';

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
  const [result, setResult] = useState<RouteResult<typeof sendTestMail> | null>(null);
  const send = () => {
    setResult(null);
    return runWithErrorToast(async () => setResult(await call(sendTestMail, { body: {} })));
  };
  return (
    <div className="settings-more stack">
      <div className="settings-foot">
        {!off && <Button onClick={send}>{t`Send me a test e-mail`}</Button>}
        {children}
      </div>
      <output className="settings-answer">
        {result && (
          <>
            <Badge tone={result.accepted ? 'success' : 'danger'}>
              {result.accepted ? t`Accepted` : t`Not sent`}
            </Badge>
            <span>
              {result.accepted
                ? t`The mail server accepted the e-mail to ${result.to}.`
                : t`The e-mail to ${result.to} was not sent.`}
            </span>
            <q className="settings-said">{result.said}</q>
            <span>{formatMessage(result.adviceText)}</span>
          </>
        )}
      </output>
    </div>
  );
}

const schemes = () =>
  [
    { value: 'light', label: t`Light` },
    { value: 'dark', label: t`Dark` },
  ] as const;

const templateOptions = (): readonly { value: MailTemplateName; label: string }[] => [
  { value: 'invitation', label: t`Invitation` },
  { value: 'reminder', label: t`Reminder` },
  { value: 'new-link', label: t`New link` },
  { value: 'role-change', label: t`Change of role` },
  { value: 'disabled', label: t`Access disabled` },
];

function MailPreviewDialog({
  language: firstLanguage,
  onClose,
}: {
  language: MailLanguage;
  onClose: () => void;
}) {
  const [template, setTemplate] = useState<MailTemplateName>('invitation');
  const [language, setLanguage] = useState(firstLanguage);
  const [scheme, setScheme] = useState<'light' | 'dark'>('light');
  const preview = useApiQuery(getMailPreview, {
    key: ['mail-preview', template, language, scheme],
    params: { template },
    query: { language, scheme },
    // Shows the previous mail while the next one loads.
    placeholderData: (before) => before,
    staleTime: 0,
  });
  return (
    <Dialog
      title={t`E-mail preview`}
      width={1100}
      onClose={onClose}
      actions={<Button onClick={onClose}>{t`Close`}</Button>}
    >
      <div className="mail-choices">
        <SelectField
          label={t`E-mail`}
          options={templateOptions()}
          value={template}
          onChange={(event) => setTemplate(event.currentTarget.value as MailTemplateName)}
        />
        <SelectField
          label={t`Language`}
          options={languageOptions()}
          value={language}
          onChange={(event) => setLanguage(event.currentTarget.value as MailLanguage)}
        />
        <SelectField
          label={t`Colours`}
          options={schemes()}
          value={scheme}
          onChange={(event) => setScheme(event.currentTarget.value as 'light' | 'dark')}
        />
      </div>
      {preview.data && !preview.isError ? (
        <>
          <p className="mail-subject">
            <span className="quiet">{t`Subject`}</span> {preview.data.subject}
          </p>
          <div className="mail-versions">
            {/* Scripts, forms and links in the mail are blocked. */}
            <iframe
              title={t`The e-mail as most programs show it`}
              sandbox=""
              srcDoc={preview.data.html}
              className="mail-frame"
            />
            <ScrollRegion className="mail-text" label={t`The e-mail as text`}>
              {preview.data.text}
            </ScrollRegion>
          </div>
        </>
      ) : (
        <Loading
          query={{ ...preview, data: undefined }}
          title={t`The e-mail could not be shown.`}
          lines={8}
        />
      )}
    </Dialog>
  );
}
