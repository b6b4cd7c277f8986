/** Settings, "Mail": the sender, the language, a test mail, and how mails look. */
import { sendTestMail, type Settings } from '@vestibule/contract/settings';
import type { RouteResult } from '@vestibule/contract/route';
import { useState, type ReactNode } from 'react';
import { describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Form } from '../../ui/form.tsx';
import { Card } from '../../ui/page.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { toast } from '../../ui/toast.tsx';
import { languageOptions } from './mail-words.ts';
import { MailPreviewDialog } from './mail-preview-dialog.tsx';
import { SectionFoot } from './section-foot.tsx';
import { useSettingForm, type SettingsSection } from './setting-form.ts';
import { SettingSource } from './setting-source.tsx';

const ways: Record<Settings['mail'], string> = {
  smtp: 'Your mail server (SMTP_URL)',
  'development-mailbox': 'The development mailbox, which delivers to nobody',
  off: 'Nobody: mails are switched off (SMTP_URL=off). Copy the link of an invitation and hand it over yourself.',
};

export function MailSection(section: SettingsSection) {
  const { settings } = section;
  const form = useSettingForm(section, ['senderName', 'senderAddress', 'mailLanguage'], 'settings-mail');
  const [previewing, setPreviewing] = useState(false);
  return (
    <Card title="Mail">
      <Form form={form}>
        <Facts items={[{ name: 'Delivered by', value: ways[settings.mail] }]} />
        <div>
          <TextField label="Sender's name" autoComplete="off" {...form.text('senderName')} />
          <SettingSource section={section} name="senderName" label="Sender's name" />
        </div>
        <div>
          <TextField
            label="Sender's address"
            description="Your mail server must be allowed to send for it."
            type="email"
            autoComplete="off"
            {...form.text('senderAddress')}
          />
          <SettingSource section={section} name="senderAddress" label="Sender's address" />
        </div>
        <div>
          <SelectField
            label="Language"
            description="Of mails for which no other language was chosen."
            options={languageOptions}
            {...form.text('mailLanguage')}
          />
          <SettingSource section={section} name="mailLanguage" label="Language" />
        </div>
        <SectionFoot form={form} />
      </Form>
      <TestMail off={settings.mail === 'off'}>
        <Button onClick={() => setPreviewing(true)}>See how mails look</Button>
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
      const { message, reference } = describeFailure(error);
      toast.failure(message, { reference });
    }
  };
  return (
    <div className="settings-more">
      <div className="settings-foot">
        {!off && <Button onClick={send}>Send me a test mail</Button>}
        {children}
      </div>
      <output className="settings-answer">
        {answer && (
          <>
            <Badge tone={answer.accepted ? 'success' : 'danger'}>
              {answer.accepted ? 'Accepted' : 'Not sent'}
            </Badge>
            <span>
              {answer.accepted
                ? `The mail server took the mail to ${answer.to}.`
                : `The mail to ${answer.to} was not sent.`}
            </span>
            <q className="settings-said">{answer.said}</q>
            <span>{answer.advice}</span>
          </>
        )}
      </output>
    </div>
  );
}
