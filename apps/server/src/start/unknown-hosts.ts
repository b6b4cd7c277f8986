/** Sign-in services whose host is no name: told at the start, since nobody can sign in there; no start waits for it or ends by it. */
import { lookup } from 'node:dns/promises';
import { variableOf } from '../platform/config/oidc-providers.ts';
import type { Config } from '../platform/config/read-config.ts';
import { inTime } from '../platform/timers.ts';

type Names = Pick<Config, 'provider' | 'embeddedProvider' | 'oidc'>;

/** What is not answered by then is not known. */
const longestWaitMs = 2_000;

/** A sentence for each. `find` stands for the system's look-up in tests. */
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

/** Only where a name server says so: one that does not answer says nothing about the name. */
async function isUnknown(host: string, find: (host: string) => Promise<unknown>): Promise<boolean> {
  const answer = find(host).then(
    () => false,
    (error: unknown) => (error as { code?: string }).code === 'ENOTFOUND',
  );
  return inTime(answer, longestWaitMs, () => false);
}
