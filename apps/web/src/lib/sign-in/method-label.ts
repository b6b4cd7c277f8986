import { t } from '@lingui/core/macro';

/** How a way to sign in is called: by its own name, but for the one that is no provider. */
export function methodLabel(name: string): string {
  // As the server calls it, in English (platform/config/sign-in-methods.ts).
  return name === 'Passkey or code' ? t`Passkey or code` : name;
}
