/** Settings, "Invitations": how long, to whom, how many. */
import { t } from '@lingui/core/macro';
import { settingBounds } from '@vestibule/contract/settings/rules';
import { Card } from '../../ui/shell/page.tsx';
import { SectionForm } from './section-form.tsx';
import type { SettingsSection } from './setting-form.ts';

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
            label: t`Lifetime in days`,
            description: t`How long a new invitation stays open, ${range('invitationLifetimeDays')} days. Those already sent keep theirs.`,
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
            description: t`How many addresses one batch may hold, ${range('invitationsPerBatch')}.`,
            kind: 'number',
          },
          {
            name: 'resendsPerHour',
            label: t`Sending again, times an hour`,
            description: t`How often the mail of one invitation may be sent again, ${range('resendsPerHour')}.`,
            kind: 'number',
          },
          {
            name: 'newLinkDays',
            label: t`New links, days after the end`,
            description: t`How long after its end whoever has the link of an expired invitation can ask for a new one, which goes to the invited address. 0 gives none.`,
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
