/** Settings: how this deployment is configured. It is changed by environment variables (docs/configuration.md). */
import { getSettings } from '@vestibule/contract/settings';
import type { Config } from '../../platform/config/read-config.ts';
import { implement, type Implementation } from '../../platform/http/implement.ts';

export function settings(config: Config): Implementation[] {
  return [
    implement(getSettings, () =>
      Promise.resolve({
        productName: config.productName,
        supportEmail: config.supportEmail,
        publicUrl: config.publicUrl,
        invitationLifetimeDays: config.invitationLifetimeDays,
        mail: config.mailbox ? ('development-mailbox' as const) : ('smtp' as const),
        mailFrom: config.mailFrom,
        provider: new URL(config.provider.authBaseUrl).host,
        providerIsEmbedded: config.embeddedProvider !== null,
      }),
    ),
  ];
}
