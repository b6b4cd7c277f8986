import type { ClientConfig, PolicyConfig, PolicyKind, SignInField } from '../emulator-config.ts';

/** `name` is the configured one (claim `tfp`); `path` is in lower case (used in URLs). */
export type Policy = { name: string; path: string; kind: PolicyKind; signInField: SignInField };

/** B2C's user flows are named `B2C_1_…`; their sign-in pages use another element id. */
export function toPolicy(name: string, config: PolicyConfig): Policy {
  const { kind, signInField }: Exclude<PolicyConfig, string> =
    typeof config === 'string' ? { kind: config } : config;
  const defaultField = /^b2c_1_/i.test(name) ? 'logonIdentifier' : 'email';
  return { name, path: name.toLowerCase(), kind, signInField: signInField ?? defaultField };
}

export type Client = Required<ClientConfig>;
