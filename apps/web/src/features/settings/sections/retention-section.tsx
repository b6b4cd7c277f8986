import { Trans } from '@lingui/react/macro';
import { SectionForm } from '../form/section-form.tsx';
import { retentionFields } from '../form/setting-fields.ts';
import type { SettingsSection } from '../form/setting-form.ts';

export function RetentionSection(section: SettingsSection) {
  return (
    <div className="stack">
      <p className="quiet">
        <Trans>
          Anything older is written to a file in the server’s archive and then removed here, within minutes.
          It cannot be restored to the lists. 0 keeps it forever.
        </Trans>
      </p>
      <SectionForm section={section} area="retention" fields={retentionFields()} />
    </div>
  );
}
