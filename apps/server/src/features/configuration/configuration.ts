/** The configuration that the browser fetches at run time: one build serves every deployment (statement B3). */
import { getConfiguration, type Configuration } from '@vestibule/contract/configuration';
import { implement, type Implementation } from '../../platform/http/implement.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/** What stays while the process runs; the rest follows the settings. */
export type FixedConfiguration = Omit<
  Configuration,
  'SupportEmail' | 'ProductName' | 'LogoUrl' | 'AccentColor'
>;

export function configuration(fixed: FixedConfiguration, settings: SettingsStore): Implementation[] {
  return [
    implement(getConfiguration, async () => {
      const { supportEmail, productName, logo, accentColor } = await settings.current();
      return {
        ...fixed,
        SupportEmail: supportEmail,
        ProductName: productName,
        LogoUrl: logo?.path ?? null,
        AccentColor: accentColor || null,
      };
    }),
  ];
}
