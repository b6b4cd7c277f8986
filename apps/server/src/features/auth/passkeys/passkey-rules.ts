/** Who needs a passkey, as the settings say. */
import type { Role } from '@vestibule/contract/rules/role';
import type { SettingsStore } from '../../settings/settings-store.ts';

/** Whether a mailed code alone does not let somebody of this role in. */
export async function needsPasskey(settings: SettingsStore, role: Role): Promise<boolean> {
  const { passkeyRequired } = await settings.current();
  return passkeyRequired === 'everybody' || (passkeyRequired === 'administrators' && role === 'admin');
}
