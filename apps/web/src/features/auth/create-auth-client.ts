/** Creates the auth client. The code of each sign-in method is loaded only where that method is configured. */
import type { B2cConfiguration, Configuration } from '@vestibule/contract/configuration';
import { isB2cOnly, type AuthClient } from './auth-client.ts';

export async function createAuthClient(configuration: Configuration): Promise<AuthClient> {
  if (isB2cOnly(configuration)) return createB2cClient(configuration);
  const { createSessionAuth } = await import('./session-auth.ts');
  return createSessionAuth(configuration, () => createB2cClient(configuration));
}

async function createB2cClient(configuration: Configuration): Promise<AuthClient> {
  const { createProviderClient } = await import('./provider/provider-client.ts');
  // The B2C settings are present if B2C is one of the methods.
  return createProviderClient(configuration as Configuration & B2cConfiguration);
}
