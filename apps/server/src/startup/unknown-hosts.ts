/**
 * Warns at the start about sign-in services whose host does not exist. The start neither waits for the lookup nor
 * fails.
 */
import { lookup } from 'node:dns/promises';
import { variableOf } from '../platform/config/oidc-providers.ts';
import type { Config } from '../platform/config/read-config.ts';
import { inTime } from '../platform/timers.ts';

type Names = Pick<Config, 'provider' | 'embeddedProvider' | 'oidc'>;

/** Time limit of the lookups in milliseconds. */
const longestWaitMs = 2_000;

/** Returns a sentence for each. `find` replaces the system's lookup in tests. */
export async function findUnknownHosts(
  config: Names,
  find: (host: string) => Promise<unknown> = lookup,
): Promise<string[]> {
  const named: [variable: string, address: string][] = config.oidc.map(({ id, issuer }) => [
    variableOf(id, 'ISSUER'),
    issuer,
  ]);
  if (config.provider && !config.embeddedProvider) named.unshift(['AUTH_BASE_URL', config.provider.url]);
  const told = await Promise.all(
    named.map(async ([variable, address]) => {
      const host = new URL(address).hostname.replaceAll(/^\[|\]$/g, '');
      return (await isUnknown(host, find))
        ? `${variable} names a host that does not exist, ${host}: nobody can sign in there. Correct it, or the name server of this machine.`
        : [];
    }),
  );
  return told.flat();
}

/** Only for an authoritative "not found"; an unreachable name server proves nothing. */
async function isUnknown(host: string, find: (host: string) => Promise<unknown>): Promise<boolean> {
  const answer = find(host).then(
    () => false,
    (error: unknown) => (error as { code?: string }).code === 'ENOTFOUND',
  );
  return inTime(answer, longestWaitMs, () => false);
}
