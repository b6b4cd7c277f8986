/** Preview of mails in each language and color scheme, in a sandboxed frame. */
import { t } from '@lingui/core/macro';
import { getMailPreview, type MailTemplateName } from '@vestibule/contract/settings';
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import { useState } from 'react';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ScrollRegion } from '../../ui/shell/scroll-region.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { languageOptions, templateOptions } from './mail-texts.ts';

const schemes = () =>
  [
    { value: 'light', label: t`Light` },
    { value: 'dark', label: t`Dark` },
  ] as const;

export function MailPreviewDialog({
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
