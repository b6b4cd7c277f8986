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
