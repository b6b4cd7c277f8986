import { t } from '@lingui/core/macro';
import type { SignIn } from '@vestibule/contract/people';

export function signInText({
  browser,
  system,
  address,
}: Pick<SignIn, 'browser' | 'system' | 'address'>): string {
  if (browser !== null && system !== null) return t`${browser} on ${system}, from ${address}`;
  if (browser !== null) return t`${browser}, from ${address}`;
  return system === null
    ? t`Another program, from ${address}`
    : t`Another program on ${system}, from ${address}`;
}

/** Translates the name of the passkey method; provider names are shown as configured. */
export function methodLabel(name: string): string {
  // English name from the server (platform/config/sign-in-methods.ts).
  return name === 'Passkey or code' ? t`Passkey or code` : name;
}
