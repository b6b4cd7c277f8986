/** Warns about sign-in services with unknown hosts when the server starts, without delaying the start. */
import { lookup } from 'node:dns/promises';
import { variableOf } from '../platform/config/oidc-providers.ts';
import type { Config } from '../platform/config/read-config.ts';
import { withTimeout } from '../platform/timers.ts';

const lookupTimeoutMs = 2_000;

export async function findUnknownHosts(
  config: Pick<Config, 'provider' | 'embeddedProvider' | 'oidc'>,
  find: (host: string) => Promise<unknown> = lookup,
): Promise<string[]> {
  const named: [variable: string, address: string][] = config.oidc.map(({ id, issuer }) => [
    variableOf(id, 'ISSUER'),
    issuer,
  ]);
  if (config.provider && !config.embeddedProvider) named.unshift(['AUTH_BASE_URL', config.provider.url]);
  const messages = await Promise.all(
    named.map(async ([variable, address]) => {
      const host = new URL(address).hostname.replaceAll(/^\[|\]$/g, '');
      return (await isUnknown(host, find))
        ? `${variable} names a host that does not exist, ${host}: users cannot sign in there. Correct it, or the name server of this machine.`
        : [];
    }),
  );
  return messages.flat();
}

/** Only "not found" counts; an unreachable name server proves nothing. */
async function isUnknown(host: string, find: (host: string) => Promise<unknown>): Promise<boolean> {
  const result = find(host).then(
    () => false,
    (error: unknown) => (error as { code?: string }).code === 'ENOTFOUND',
  );
  return withTimeout(result, lookupTimeoutMs, () => false);
}
