/** Public configuration, fetched by the browser at run time so that one build serves every deployment (B3). */
import { getConfiguration } from '@vestibule/contract/configuration';
import type { Area } from '../../platform/area.ts';
import type { Config } from '../../platform/config/read-config.ts';
import { signInMethodsOf } from '../../platform/config/sign-in-methods.ts';
import { rowsOf, type DatabaseDeps } from '../../platform/database/database.ts';
import { implement } from '../../platform/http/implement.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/** Time for which a site with organizations, and one without, is not read again. */
const cacheMs = { with: 60_000, without: 1_000 };

export function configuration({
  config,
  settings,
  database,
  now,
}: DatabaseDeps & { config: Config; settings: SettingsStore }): Area {
  const { provider } = config;
  let known = { until: 0, hasOrganizations: false };

  async function hasOrganizations(): Promise<boolean> {
    if (known.until > now()) return known.hasOrganizations;
    // While the database is unavailable, the last known answer applies.
    const rows = await rowsOf(database, 'select from organizations limit 1').catch(() => null);
    const found = rows === null ? known.hasOrganizations : rows.length > 0;
    known = { until: now() + cacheMs[found ? 'with' : 'without'], hasOrganizations: found };
    return known.hasOrganizations;
  }

  const routes = [
    implement(getConfiguration, async () => {
      const { supportEmail, productName, logo, accentColor, signInDomains } = await settings.current();
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
        Ways: signInMethodsOf(config),
        HasOrganizations: await hasOrganizations(),
        KnowsDomains: signInDomains.length > 0,
        GridLicenseKey: config.gridLicenseKey,
        IsDemonstration: config.isDemonstration,
        SupportEmail: supportEmail,
        ProductName: productName,
        LogoUrl: logo?.path ?? null,
        AccentColor: accentColor || null,
      };
    }),
  ];
  return { routes };
}
