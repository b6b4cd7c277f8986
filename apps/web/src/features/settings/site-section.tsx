/** Settings, "This site": name, support address and logo. */
import { Facts } from '../../ui/facts.tsx';
import { Form } from '../../ui/form.tsx';
import { Card } from '../../ui/page.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { LogoField } from './logo-field.tsx';
import { SectionFoot } from './section-foot.tsx';
import { useSettingForm, type SettingsSection } from './setting-form.ts';
import { SettingSource } from './setting-source.tsx';

export function SiteSection(section: SettingsSection) {
  const { settings } = section;
  const form = useSettingForm(section, ['productName', 'supportEmail'], 'settings-site');
  return (
    <Card title="This site">
      <Form form={form}>
        <Facts items={[{ name: 'Address', value: settings.publicUrl }]} />
        <div>
          <TextField
            label="Product name"
            description="Stands in the title, in mails and at the top of every screen."
            autoComplete="off"
            {...form.text('productName')}
          />
          <SettingSource section={section} name="productName" label="Product name" />
        </div>
        <div>
          <TextField
            label="Support address"
            description="Shown where somebody needs help."
            type="email"
            autoComplete="off"
            {...form.text('supportEmail')}
          />
          <SettingSource section={section} name="supportEmail" label="Support address" />
        </div>
        <SectionFoot form={form} />
      </Form>
      <div className="settings-more">
        <LogoField {...section} />
      </div>
    </Card>
  );
}
