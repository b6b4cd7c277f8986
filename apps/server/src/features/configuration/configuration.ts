/** Public configuration, fetched by the browser at run time so that one build serves every deployment (B3). */
import { getConfiguration } from '@vestibule/contract/configuration';
import type { Area } from '../../platform/area.ts';
import type { Config } from '../../platform/config/read-config.ts';
import { signInMethodsOf } from '../../platform/config/sign-in-methods.ts';
import { implement } from '../../platform/http/implement.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

export function configuration({ config, settings }: { config: Config; settings: SettingsStore }): Area {
  const { provider } = config;
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
