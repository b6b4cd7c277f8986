/** Settings, "Invitations": how long, to whom, how many. */
import { t } from '@lingui/core/macro';
import { settingBounds } from '@vestibule/contract/settings/rules';
import { Card } from '../../ui/shell/page.tsx';
import { SectionForm } from './form/section-form.tsx';
import type { SettingsSection } from './form/setting-form.ts';

/** Such as "1 to 60". */
function range(name: keyof typeof settingBounds): string {
  const [least, most] = settingBounds[name];
  return t`${least} to ${most}`;
}

export function InvitationsSection(section: SettingsSection) {
  return (
    <Card title={t`Invitations`}>
      <SectionForm
        section={section}
        draft="settings-invitations"
        fields={[
          {
            name: 'invitationLifetimeDays',
            label: t`Valid for (days)`,
            description: t`How long a new invitation stays open, ${range('invitationLifetimeDays')} days. Invitations already sent keep theirs.`,
            kind: 'number',
          },
          {
            name: 'reminderDays',
            label: t`Reminder before expiry (days)`,
            description: t`Anyone who has not signed up by then gets one reminder. 0 sends none.`,
            kind: 'number',
          },
          {
            name: 'invitationsPerBatch',
            label: t`Invitations per import`,
            description: t`How many addresses one import can hold, ${range('invitationsPerBatch')}.`,
            kind: 'number',
          },
          {
            name: 'resendsPerHour',
            label: t`Resends per hour`,
            description: t`How often the e-mail of one invitation can be resent per hour, ${range('resendsPerHour')}.`,
            kind: 'number',
          },
          {
            name: 'newLinkDays',
            label: t`New links after expiry (days)`,
            description: t`How long after expiry the link can be used to request a new one, which goes to the invited address. 0 allows none.`,
            kind: 'number',
          },
          {
            name: 'allowedDomains',
            label: t`Allowed domains`,
            description: t`Only addresses in these domains can be invited, such as example.com. One per line; empty allows all.`,
            kind: 'lines',
          },
        ]}
      />
    </Card>
  );
}
