/** Opens the entrance of this deployment: the program of each kind of way is fetched where that kind is configured. */
import type { B2cConfiguration, Configuration } from '@vestibule/contract/configuration';
import { isB2cOnly, type Entrance } from './auth-client.ts';

export async function createAuthClient(configuration: Configuration): Promise<Entrance> {
  if (isB2cOnly(configuration)) return openB2c(configuration);
  const { openServerLed } = await import('./session-auth.ts');
  return openServerLed(configuration, () => openB2c(configuration));
}

async function openB2c(configuration: Configuration): Promise<Entrance> {
  const { connectProvider } = await import('./provider/provider-client.ts');
  // With B2C among the ways, all of it is there.
  return connectProvider(configuration as Configuration & B2cConfiguration);
}
