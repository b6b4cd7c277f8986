import type { ClientConfig, PolicyKind } from './emulator-config.ts';

/** A policy: `name` as configured (the claim `tfp`), `path` in lower case (the addresses). */
export type Policy = { name: string; path: string; kind: PolicyKind };

/** An application registration. */
export type Client = Required<ClientConfig>;
