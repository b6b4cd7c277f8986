/** The ways to sign in, as the configuration has them. `name` is for people. */
import type { Config } from './read-config.ts';

export type Way = { id: string; kind: 'b2c' | 'oidc'; name: string };

/** B2C first. */
export function waysOf({ provider, oidc }: Pick<Config, 'provider' | 'oidc'>): Way[] {
  return [
    ...(provider ? [{ id: 'b2c', kind: 'b2c' as const, name: 'Microsoft' }] : []),
    ...oidc.map(({ id, name }) => ({ id, kind: 'oidc' as const, name })),
  ];
}
