/** Settings, "Keeping": after how long what is old leaves the database for an archive. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { keepingDays } from '@vestibule/contract/settings/rules';
import { Card } from '../../ui/shell/page.tsx';
import { SectionForm } from './form/section-form.tsx';
import type { SettingsSection } from './form/setting-form.ts';

export function KeepingSection(section: SettingsSection) {
  const { minimum, maximum } = keepingDays;
  return (
    <Card title={t`Retention`}>
      <p className="settings-muted">
        <Trans>
          Anything older is written to a file in the server’s archive and then removed here, within minutes.
          It cannot be restored to the lists. 0 keeps it forever.
        </Trans>
      </p>
      <SectionForm
        section={section}
        draft="settings-keeping"
        fields={[
          {
            name: 'keepInvitationsDays',
            label: t`Keep finished invitations (days)`,
            description: t`Counted from the day they were redeemed, revoked or expired. 0, or ${minimum} to ${maximum}.`,
            kind: 'number',
          },
          {
            name: 'keepSignInsDays',
            label: t`Keep sign-ins (days)`,
            description: t`Each person’s latest sign-in stays. 0, or ${minimum} to ${maximum}.`,
            kind: 'number',
          },
          {
            name: 'keepActivityDays',
            label: t`Keep the activity log (days)`,
            description: t`The log can still be verified, and so can the archive. 0, or ${minimum} to ${maximum}.`,
            kind: 'number',
          },
        ]}
      />
    </Card>
  );
}
