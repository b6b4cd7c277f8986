/** Settings, "Invitations": how long, to whom, how many. */
import { Form } from '../../ui/form.tsx';
import { Card } from '../../ui/page.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { SectionFoot } from './section-foot.tsx';
import { useSettingForm, type SettingsSection } from './setting-form.ts';
import { SettingSource } from './setting-source.tsx';

const fields = [
  {
    name: 'invitationLifetimeDays',
    label: 'Lifetime in days',
    description: 'How long a new invitation stays open, 1 to 90 days. Those already sent keep theirs.',
  },
  {
    name: 'reminderDays',
    label: 'Reminder, days before the end',
    description: 'Whoever has not signed up by then gets one reminder. 0 sends none.',
  },
  {
    name: 'invitationsPerBatch',
    label: 'Most invitations at once',
    description: 'How many addresses one batch may hold, 1 to 10000.',
  },
  {
    name: 'resendsPerHour',
    label: 'Sending again, times an hour',
    description: 'How often the mail of one invitation may be sent again, 1 to 60.',
  },
] as const;

export function InvitationsSection(section: SettingsSection) {
  const form = useSettingForm(
    section,
    ['allowedDomains', ...fields.map(({ name }) => name)],
    'settings-invitations',
  );
  return (
    <Card title="Invitations">
      <Form form={form}>
        {fields.map(({ name, label, description }) => (
          <div key={name}>
            <TextField
              label={label}
              description={description}
              inputMode="numeric"
              autoComplete="off"
              {...form.text(name)}
            />
            <SettingSource section={section} name={name} label={label} />
          </div>
        ))}
        <div>
          <TextArea
            label="Allowed domains"
            description="Only addresses of these domains can be invited, such as example.com, one on each line. Empty: all of them."
            spellCheck={false}
            {...form.text('allowedDomains')}
          />
          <SettingSource section={section} name="allowedDomains" label="Allowed domains" />
        </div>
        <SectionFoot form={form} />
      </Form>
    </Card>
  );
}
