/** The ways to sign in, as the configuration has them. `name` is for people. */
import type { Config } from './read-config.ts';

type Way = { id: string; kind: 'b2c' | 'oidc' | 'passkeys'; name: string };

/** The id of the way by passkeys and mailed codes. */
export const passkeysWay = 'passkeys';

/** B2C first. */
export function waysOf({ provider, oidc, passkeys }: Pick<Config, 'provider' | 'oidc' | 'passkeys'>): Way[] {
  return [
    ...(provider ? [{ id: 'b2c', kind: 'b2c' as const, name: 'Microsoft' }] : []),
    ...oidc.map(({ id, name }) => ({ id, kind: 'oidc' as const, name })),
    ...(passkeys ? [{ id: passkeysWay, kind: 'passkeys' as const, name: 'Passkey or code' }] : []),
  ];
}
