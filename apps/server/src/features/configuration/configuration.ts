/** Public configuration, fetched by the browser at run time so that one build serves every deployment (B3). */
import { getConfiguration } from '@vestibule/contract/configuration';
import type { Area } from '../../platform/area.ts';
import type { Config } from '../../platform/config/read-config.ts';
import { signInMethodsOf } from '../../platform/config/sign-in-methods.ts';
import { onlyRowOf, type DatabaseDeps } from '../../platform/database/database.ts';
import { implement } from '../../platform/http/implement.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/** Time until organizations and connections are looked for again: if the site has both, and otherwise. */
const cacheMs = { complete: 60_000, otherwise: 1_000 };

export function configuration({
  config,
  settings,
  database,
  now,
}: DatabaseDeps & { config: Config; settings: SettingsStore }): Area {
  const { provider } = config;
  let known = { until: 0, hasOrganizations: false, hasConnections: false };

  async function readOrganizations() {
    if (known.until > now()) return known;
    // While the database is unavailable, the last known configuration applies.
    const found = await onlyRowOf<Omit<typeof known, 'until'>>(database)`
      select exists (select from organizations) as "hasOrganizations",
      exists (select from organization_connections where is_active) as "hasConnections"`.catch(() => known);
    const isComplete = found.hasOrganizations && found.hasConnections;
    known = { ...found, until: now() + cacheMs[isComplete ? 'complete' : 'otherwise'] };
    return known;
  }

  const routes = [
    implement(getConfiguration, async () => {
      const methods = signInMethodsOf(config);
      const { hasOrganizations, hasConnections } = await readOrganizations();
      const current = await settings.current();
      const { supportEmail, productName, logo, accentColor, signInDomains } = current;
      return {
        ...(provider && {
          ClientId: provider.clientId,
          AuthBaseUrl: provider.authBaseUrl,
          TenantName: provider.tenantName,
          SignInPolicy: provider.signInPolicy,
          SignUpPolicy: provider.signUpPolicy,
          ResetPasswordPolicy: provider.resetPasswordPolicy,
          ApiScopes: provider.apiScopes,
          EmbeddedProviderUrl: config.embeddedProvider && provider.url,
        }),
        Ways: methods,
        HasOrganizations: hasOrganizations,
        KnowsDomains: hasConnections || (signInDomains.length > 0 && methods.length > 1),
        GridLicenseKey: config.gridLicenseKey,
        IsDemonstration: config.isDemonstration,
        SupportEmail: supportEmail,
        PrivacyUrl: current.privacyUrl || null,
        ImprintUrl: current.imprintUrl || null,
        ProductName: productName,
        LogoUrl: logo?.path ?? null,
        AccentColor: accentColor || null,
      };
    }),
  ];
  return { routes };
}
