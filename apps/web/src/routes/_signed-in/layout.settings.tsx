/** `/layout/settings`: how this site is configured, and what administrators change of it (administrators only). */
import { t } from '@lingui/core/macro';
import { msg } from '@lingui/core/macro';
import { IconSettings } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createFileRoute, useRouter } from '@tanstack/react-router';
import { getSettings, type Settings } from '@vestibule/contract/settings';
import { KeepingSection } from '../../features/settings/keeping-section.tsx';
import { InvitationsSection } from '../../features/settings/invitations-section.tsx';
import { MailSection } from '../../features/settings/mail-section.tsx';
import { ProviderSection } from '../../features/settings/provider-section.tsx';
import type { SettingsSection } from '../../features/settings/setting-form.ts';
import { SiteSection } from '../../features/settings/site-section.tsx';
import { WeaknessesSection } from '../../features/settings/weaknesses-section.tsx';
import { TokensCard } from '../../features/tokens/tokens-card.tsx';
import { describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { useChanges } from '../../lib/changes.ts';
import { Failure } from '../../ui/failure.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import '../../features/settings/settings.css';

export const Route = createFileRoute('/_signed-in/layout/settings')({
  staticData: { access: 'admin', menu: { label: msg`Settings`, order: 6, icon: IconSettings } },
  component: SettingsScreen,
});

const queryKey = ['settings'];

function SettingsScreen() {
  const { session } = Route.useRouteContext();
  const router = useRouter();
  const queries = useQueryClient();
  const settings = useQuery({ queryKey, queryFn: ({ signal }) => call(getSettings, { signal }) });
  useChanges('settings', () => void settings.refetch());

  const show = (fresh: Settings) => {
    queries.setQueryData(queryKey, fresh);
    // The name and the logo stand in the frame around this screen too.
    void session.loadConfiguration().then(() => router.invalidate());
  };
  return (
    <Page title={t`Settings`} description={t`What is changed here holds at once, for everybody.`}>
      {settings.isPending && <Skeleton lines={6} />}
      {settings.isError && !settings.data && (
        <Failure
          title={t`The settings could not be loaded.`}
          reference={describeFailure(settings.error).reference}
          onRetry={() => settings.refetch()}
        >
          {describeFailure(settings.error).message}
        </Failure>
      )}
      {settings.data && (
        <Sections
          settings={settings.data}
          onSettings={show}
          onOvertaken={async () => (await settings.refetch()).data}
        />
      )}
    </Page>
  );
}

function Sections(section: SettingsSection) {
  return (
    <div className="settings">
      <WeaknessesSection />
      <SiteSection {...section} />
      <InvitationsSection {...section} />
      <MailSection {...section} />
      <KeepingSection {...section} />
      <ProviderSection settings={section.settings} />
      <TokensCard />
    </div>
  );
}
