/** One section of the settings; unsaved input is kept while the user visits other screens. */
import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Navigate, useRouter } from '@tanstack/react-router';
import { getSettings, type Settings } from '@vestibule/contract/settings';
import type { ReactNode } from 'react';
import { areasFor, type Area } from './sections.ts';
import { RetentionSection } from './sections/retention-section.tsx';
import { MailSection } from './sections/mail-section.tsx';
import { ProviderSection } from './sections/provider-section.tsx';
import { SectionForm } from './form/section-form.tsx';
import type { SettingsSection } from './form/setting-form.ts';
import { MigrationsLink, SignInSection } from './sections/sign-in-section.tsx';
import { SiteSection } from './sections/site-section.tsx';
import { SecurityWarningsSection } from './sections/security-section.tsx';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Loading } from '../../ui/loading.tsx';
import { Card } from '../../ui/shell/page.tsx';

const route = getRouteApi('/_signed-in/layout/settings/$section');

const queryKey = ['settings'];

/** `more` contains sections of other areas. */
export function SectionScreen({ more }: { more: Partial<Record<Area['id'], ReactNode>> }) {
  const { session } = route.useRouteContext();
  const { section } = route.useParams();
  const router = useRouter();
  const queries = useQueryClient();
  const settings = useApiQuery(getSettings, { key: queryKey, changesOf: 'settings' });

  const area = areasFor(session.configuration.Ways).find(({ id }) => id === section);
  if (!area) return <Navigate to="/layout/settings" replace />;
  if (more[area.id]) return more[area.id];

  const show = (changed: Settings) => {
    queries.setQueryData(queryKey, changed);
    // The frame around the screen also shows the name and logo.
    void session.loadConfiguration().then(() => router.invalidate());
  };
  return (
    <Card title={area.title} actions={area.id === 'sign-in' && <MigrationsLink />}>
      <Loading query={settings} title={t`The settings could not be loaded`} lines={6} />
      {settings.data && (
        <Content
          key={area.id}
          area={area}
          settings={settings.data}
          onSettings={show}
          onOvertaken={async () => (await settings.refetch()).data}
        />
      )}
    </Card>
  );
}

function Content({ area: { id, fields = [] }, ...section }: SettingsSection & { area: Area }) {
  switch (id) {
    case 'site':
      return <SiteSection {...section} />;
    case 'sign-in':
      return <SignInSection {...section} fields={fields} />;
    case 'e-mail':
      return <MailSection {...section} />;
    case 'retention':
      return <RetentionSection {...section} />;
    case 'provider':
      return <ProviderSection settings={section.settings} />;
    case 'safety':
      return <SecurityWarningsSection />;
    default:
      return <SectionForm section={section} area={id} fields={fields} />;
  }
}
