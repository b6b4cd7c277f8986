/** One section of the settings; unsaved input is kept while the user visits other screens. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Navigate, useRouter } from '@tanstack/react-router';
import { getSettings, type Settings } from '@vestibule/contract/settings';
import { Suspense, type ReactNode } from 'react';
import { ExtensionSection } from 'virtual:extensions';
import { LogoField } from './logo-field.tsx';
import { areasFor, type Area } from './sections.ts';
import { MailSection } from './sections/mail-section.tsx';
import { ProviderSection } from './sections/provider-section.tsx';
import { SectionForm } from './form/section-form.tsx';
import type { SettingsSection } from './form/section-form.tsx';
import { MigrationsLink, SignInSection } from './sections/sign-in-section.tsx';
import { SecurityWarningsSection } from './sections/security-section.tsx';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Loading, Skeleton } from '../../ui/states.tsx';
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
  if (area.id.startsWith('extension-'))
    return (
      <Card key={area.id} title={area.title}>
        <Suspense fallback={<Skeleton lines={6} />}>
          <ExtensionSection
            extension={area.id.slice('extension-'.length)}
            area={area.id as `extension-${string}`}
          />
        </Suspense>
      </Card>
    );

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
  const form = <SectionForm section={section} area={id} fields={fields} />;
  switch (id) {
    case 'site':
      return (
        <>
          <SectionForm
            section={section}
            area={id}
            facts={[{ name: t`Address`, value: section.settings.publicUrl, variable: 'PUBLIC_URL' }]}
            fields={fields}
          />
          <div className="settings-more stack">
            <LogoField {...section} />
          </div>
        </>
      );
    case 'sign-in':
      return <SignInSection {...section} fields={fields} />;
    case 'e-mail':
      return <MailSection {...section} />;
    case 'retention':
      return (
        <div className="stack">
          <p className="quiet">
            <Trans>
              Anything older is written to a file in the server’s archive and then removed here, within
              minutes. It cannot be restored to the lists. 0 keeps it forever.
            </Trans>
          </p>
          {form}
        </div>
      );
    case 'provider':
      return <ProviderSection settings={section.settings} />;
    case 'safety':
      return <SecurityWarningsSection />;
    default:
      return form;
  }
}
