/** Configured sign-in methods. `name` is the label shown to users. */
import type { Config } from './read-config.ts';

type SignInMethodName = { id: string; kind: 'b2c' | 'oidc' | 'passkeys'; name: string };

/** Id of the method with passkeys and mailed codes. */
export const passkeyMethod = 'passkeys';

/** Lists the methods, B2C first. */
export function signInMethodsOf({
  provider,
  oidc,
  passkeys,
}: Pick<Config, 'provider' | 'oidc' | 'passkeys'>): SignInMethodName[] {
  return [
    ...(provider ? [{ id: 'b2c', kind: 'b2c' as const, name: 'Microsoft' }] : []),
    ...oidc.map(({ id, name }) => ({ id, kind: 'oidc' as const, name })),
    ...(passkeys ? [{ id: passkeyMethod, kind: 'passkeys' as const, name: 'Passkey or code' }] : []),
  ];
}
