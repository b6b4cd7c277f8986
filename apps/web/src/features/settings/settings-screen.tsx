/** `/layout/settings`: how this site is configured, and what administrators change of it (administrators only). */
import { t } from '@lingui/core/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import type { SignInWay } from '@vestibule/contract/configuration';
import { getSettings, type Settings } from '@vestibule/contract/settings';
import type { ReactNode } from 'react';
import { KeepingSection } from './keeping-section.tsx';
import { InvitationsSection } from './invitations-section.tsx';
import { MailSection } from './mail-section.tsx';
import { ProviderSection } from './provider-section.tsx';
import type { SettingsSection } from './form/setting-form.ts';
import { SignInSection } from './sign-in-section.tsx';
import { SiteSection } from './site-section.tsx';
import { WeaknessesSection } from './weaknesses-section.tsx';
import { describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { useChanges } from '../../lib/changes.ts';
import { Failure } from '../../ui/failure.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import './settings.css';

const route = getRouteApi('/_signed-in/layout/settings');

const queryKey = ['settings'];

/** `more` is what other areas show below the settings. */
export function SettingsScreen({ more }: { more: ReactNode }) {
  const { session } = route.useRouteContext();
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
    <Page title={t`Settings`} description={t`Changes here take effect immediately, for everyone.`}>
      {settings.isPending && <Skeleton lines={6} />}
      {settings.isError && !settings.data && (
        <Failure
          title={t`The settings could not be loaded.`}
          {...describeFailure(settings.error)}
          onRetry={() => settings.refetch()}
        />
      )}
      {settings.data && (
        <Sections
          more={more}
          ways={session.configuration.Ways}
          settings={settings.data}
          onSettings={show}
          onOvertaken={async () => (await settings.refetch()).data}
        />
      )}
    </Page>
  );
}

function Sections({ more, ways, ...section }: SettingsSection & { more: ReactNode; ways: SignInWay[] }) {
  const has = (...kinds: SignInWay['kind'][]) => ways.some(({ kind }) => kinds.includes(kind));
  return (
    <div className="settings">
      <WeaknessesSection />
      <SiteSection {...section} />
      {has('oidc', 'passkeys') && <SignInSection {...section} hasPasskeys={has('passkeys')} />}
      <InvitationsSection {...section} />
      <MailSection {...section} />
      <KeepingSection {...section} />
      {has('b2c', 'oidc') && <ProviderSection settings={section.settings} />}
      {more}
    </div>
  );
}
