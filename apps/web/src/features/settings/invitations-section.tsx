/** Settings, "Invitations": how long, to whom, how many. */
import { t } from '@lingui/core/macro';
import { Card } from '../../ui/page.tsx';
import { SectionForm } from './section-form.tsx';
import type { SettingsSection } from './setting-form.ts';

export function InvitationsSection(section: SettingsSection) {
  return (
    <Card title={t`Invitations`}>
      <SectionForm
        section={section}
        draft="settings-invitations"
        fields={[
          {
            name: 'invitationLifetimeDays',
            label: t`Lifetime in days`,
            description: t`How long a new invitation stays open, 1 to 90 days. Those already sent keep theirs.`,
            kind: 'number',
          },
          {
            name: 'reminderDays',
            label: t`Reminder, days before the end`,
            description: t`Whoever has not signed up by then gets one reminder. 0 sends none.`,
            kind: 'number',
          },
          {
            name: 'invitationsPerBatch',
            label: t`Most invitations at once`,
            description: t`How many addresses one batch may hold, 1 to 10000.`,
            kind: 'number',
          },
          {
            name: 'resendsPerHour',
            label: t`Sending again, times an hour`,
            description: t`How often the mail of one invitation may be sent again, 1 to 60.`,
            kind: 'number',
          },
          {
            name: 'allowedDomains',
            label: t`Allowed domains`,
            description: t`Only addresses of these domains can be invited, such as example.com, one on each line. Empty: all of them.`,
            kind: 'lines',
          },
        ]}
      />
    </Card>
  );
}
