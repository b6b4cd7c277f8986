/** Settings, "This site": name, support address and logo. */
import { Card } from '../../ui/page.tsx';
import { LogoField } from './logo-field.tsx';
import { SectionForm } from './section-form.tsx';
import type { SettingsSection } from './setting-form.ts';

export function SiteSection(section: SettingsSection) {
  return (
    <Card title="This site">
      <SectionForm
        section={section}
        draft="settings-site"
        facts={[{ name: 'Address', value: section.settings.publicUrl }]}
        fields={[
          {
            name: 'productName',
            label: 'Product name',
            description: 'Stands in the title, in mails and at the top of every screen.',
          },
          {
            name: 'supportEmail',
            label: 'Support address',
            description: 'Shown where somebody needs help.',
            kind: 'email',
          },
        ]}
      />
      <div className="settings-more">
        <LogoField {...section} />
      </div>
    </Card>
  );
}
