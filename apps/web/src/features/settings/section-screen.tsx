/** One section of the settings; unsaved input is kept while the user visits other screens. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Navigate, useRouter } from '@tanstack/react-router';
import { getSettings, type Settings, changeLogo, logoMaximumBytes } from '@vestibule/contract/settings';
import type { ReactNode } from 'react';
import { ExtensionSection } from 'virtual:extensions';
import { areasFor, type Area } from './sections.ts';
import { MailSection } from './sections/mail-section.tsx';
import { ProviderSection } from './sections/provider-section.tsx';
import { SectionForm, type SettingsSection } from './form/section-form.tsx';
import { MigrationsLink, SignInSection } from './sections/sign-in-section.tsx';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Loading, Skeleton } from '../../ui/states.tsx';
import { LazyPart } from '../../ui/shell/lazy-part.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { formatSize } from '../../language/formats.ts';
import { call } from '../../lib/call.ts';
import { PictureField } from '../../ui/fields/picture-field.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { listSecurityWarnings } from '@vestibule/contract/settings/security-warnings';
import { formatMessage } from '../../language/format-message.ts';
import { Badge } from '../../ui/marks/badge.tsx';

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
        <LazyPart isCard={false} fallback={<Skeleton lines={6} />}>
          <ExtensionSection
            extension={area.id.slice('extension-'.length)}
            area={area.id as `extension-${string}`}
          />
        </LazyPart>
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
          onConflict={async () => (await settings.refetch()).data}
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
              Anything older is written to a file in the server’s archive and then removed here, within a day.
              It cannot be restored to the lists. 0 keeps it forever.
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

function LogoField({ settings, onSettings, onConflict }: SettingsSection) {
  const { value: logo, version } = settings.logo;
  const maximum = formatSize(logoMaximumBytes);

  const change = async (picture: string | null) => {
    try {
      onSettings(await call(changeLogo, { body: { picture, version } }));
      toast.success(picture ? t`Logo changed.` : t`Logo removed.`);
    } catch (error) {
      void onConflict();
      throw error;
    }
  };

  return (
    <PictureField
      label={t`Logo`}
      note={
        <Trans>
          PNG, JPEG or WebP, at most {maximum}. Shown at the top of every screen and in e-mails; some e-mail
          programs do not show WebP.
        </Trans>
      }
      pictureLabel={t`Current logo`}
      picture={logo?.path ?? null}
      maximumBytes={logoMaximumBytes}
      onChange={change}
    />
  );
}

function SecurityWarningsSection() {
  const weaknesses = useApiQuery(listSecurityWarnings, { key: ['settings', 'weaknesses'] });
  if (!weaknesses.data) return <Loading query={weaknesses} title={t`This could not be checked.`} lines={3} />;
  const { data } = weaknesses;
  if (data.weaknesses.length === 0)
    return (
      <p>
        <Badge tone="success">{t`OK`}</Badge> {t`There are no security warnings for this installation.`}
      </p>
    );
  return (
    <div className="stack">
      <p className="quiet">{t`Security warnings for the server’s operator.`}</p>
      <ul aria-label={t`What was found`}>
        {data.weaknesses.map((weakness) => (
          <li className="finding" key={weakness.code}>
            <Badge tone="warning">{t`Check this`}</Badge>
            <p>{formatMessage(weakness)}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
