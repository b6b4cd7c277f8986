/** Settings, "This site": name, support address, accent colour and logo. */
import { t } from '@lingui/core/macro';
import { Card } from '../../ui/shell/page.tsx';
import { AccentNote } from './accent-note.tsx';
import { LogoField } from './logo-field.tsx';
import { SectionForm } from './form/section-form.tsx';
import type { SettingsSection } from './form/setting-form.ts';

const accentNote = (text: string) => <AccentNote colour={text.trim()} />;

export function SiteSection(section: SettingsSection) {
  return (
    <Card title={t`This site`}>
      <SectionForm
        section={section}
        draft="settings-site"
        facts={[{ name: t`Address`, value: section.settings.publicUrl }]}
        fields={[
          {
            name: 'productName',
            label: t`Product name`,
            description: t`Shown in the title, in e-mails and at the top of every screen.`,
          },
          {
            name: 'supportEmail',
            label: t`Support address`,
            description: t`Shown where people may need help.`,
            kind: 'email',
          },
          {
            name: 'accentColor',
            label: t`Accent colour`,
            description: t`For buttons, links and highlights: on every screen, on the login screen and in e-mails. Empty: each theme has its own.`,
            kind: 'colour',
            note: accentNote,
          },
        ]}
      />
      <div className="settings-more">
        <LogoField {...section} />
      </div>
    </Card>
  );
}
