import type { Role } from '@vestibule/contract/rules/role';
import type { SettingsStore } from '../../settings/settings-store.ts';

/** Returns whether the settings require a passkey for this role, so that a code alone is not enough. */
export async function needsPasskey(settings: SettingsStore, role: Role): Promise<boolean> {
  const { passkeyRequired } = await settings.current();
  return passkeyRequired === 'everybody' || (passkeyRequired === 'administrators' && role === 'admin');
}
