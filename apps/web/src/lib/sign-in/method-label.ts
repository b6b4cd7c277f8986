import { t } from '@lingui/core/macro';

/** Translates the name of the passkey method; provider names are shown as configured. */
export function methodLabel(name: string): string {
  // English name from the server (platform/config/sign-in-methods.ts).
  return name === 'Passkey or code' ? t`Passkey or code` : name;
}
