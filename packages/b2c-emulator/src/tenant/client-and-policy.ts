import type { ClientConfig, PolicyConfig, PolicyKind, SignInField } from '../emulator-config.ts';

/** A policy: `name` as configured (the claim `tfp`), `path` in lower case (the addresses). */
export type Policy = { name: string; path: string; kind: PolicyKind; signInField: SignInField };

/** A policy as it is configured. B2C names user flows `B2C_1_…`, whose sign-in pages call the field otherwise. */
export function toPolicy(name: string, config: PolicyConfig): Policy {
  const { kind, signInField }: Exclude<PolicyConfig, string> =
    typeof config === 'string' ? { kind: config } : config;
  const usual = /^b2c_1_/i.test(name) ? 'logonIdentifier' : 'email';
  return { name, path: name.toLowerCase(), kind, signInField: signInField ?? usual };
}

/** An application registration. */
export type Client = Required<ClientConfig>;
