import { t } from '@lingui/core/macro';
import { AccentNote } from '../accent-note.tsx';
import { LogoField } from '../logo-field.tsx';
import { SectionForm } from '../form/section-form.tsx';
import { siteFields } from '../form/setting-fields.ts';
import type { SettingsSection } from '../form/setting-form.ts';

const notes = { accentColor: (text: string) => <AccentNote colour={text.trim()} /> };

export function SiteSection(section: SettingsSection) {
  return (
    <>
      <SectionForm
        section={section}
        area="site"
        facts={[{ name: t`Address`, value: section.settings.publicUrl, variable: 'PUBLIC_URL' }]}
        fields={siteFields()}
        notes={notes}
      />
      <div className="settings-more stack">
        <LogoField {...section} />
      </div>
    </>
  );
}
