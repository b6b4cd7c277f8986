/** `/layout/settings`: how this deployment is configured (administrators only). */
import { IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createFileRoute } from '@tanstack/react-router';
import { getSettings, type Settings } from '@vestibule/contract/settings';
import { describeFailure } from '../lib/call-failure.ts';
import { call } from '../lib/call.ts';
import { CardRow, Facts } from '../ui/facts.tsx';
import { Failure } from '../ui/failure.tsx';
import { Card, Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

export const Route = createFileRoute('/layout/settings')({
  staticData: { access: 'admin', menu: { label: 'Settings', order: 6, icon: IconSettings } },
  component: SettingsScreen,
});

function SettingsScreen() {
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => call(getSettings, { signal }),
  });
  return (
    <Page
      title="Settings"
      description="Whoever runs the server changes these; docs/configuration.md says how."
    >
      {settings.isPending && <Skeleton lines={6} />}
      {settings.isError && (
        <Failure
          title="The settings could not be loaded."
          reference={describeFailure(settings.error).reference}
          onRetry={() => settings.refetch()}
        >
          {describeFailure(settings.error).message}
        </Failure>
      )}
      {settings.data && <Deployment settings={settings.data} />}
    </Page>
  );
}

function Deployment({ settings }: { settings: Settings }) {
  const days = settings.invitationLifetimeDays;
  return (
    <CardRow>
      <Card title="This site">
        <Facts
          items={[
            { name: 'Name', value: settings.productName },
            { name: 'Address', value: settings.publicUrl },
            { name: 'Support', value: settings.supportEmail },
            {
              name: 'Sign-in',
              value: settings.providerIsEmbedded ? 'Embedded, for development' : settings.provider,
            },
          ]}
        />
      </Card>
      <Card title="Invitations and mail">
        <Facts
          items={[
            { name: 'Valid for', value: days === 1 ? '1 day' : `${days} days` },
            { name: 'Sender', value: settings.mailFrom },
            { name: 'Sent by', value: settings.mail === 'smtp' ? 'Your SMTP server' : 'Development mailbox' },
          ]}
        />
      </Card>
    </CardRow>
  );
}
