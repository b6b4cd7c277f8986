/** Looks up whether a domain accepts mail (RFC 5321, section 5.1; RFC 7505). */
import { Resolver } from 'node:dns/promises';
import { withTimeout } from '../timers.ts';

/** Returns whether each domain (A-label) has a mail server; domains whose lookup got no response are absent. Never throws. */
export type FindMailServers = (domains: readonly string[]) => Promise<Map<string, boolean>>;

/** Time limit of a lookup in milliseconds. */
const timeoutMs = 1_000;
const domainsMaximum = 100;

/** Reserved names (RFC 2606, RFC 6761) are not looked up. */
const reserved = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost|local)$/;

/** Used subset of Node.js's `Resolver`. */
export type DnsResolver = {
  resolveMx(domain: string): Promise<{ exchange: string }[]>;
  resolve4(domain: string): Promise<string[]>;
  resolve6(domain: string): Promise<string[]>;
  cancel(): void;
};

export const createMailServerFinder =
  (
    createResolver: () => DnsResolver = () => new Resolver({ timeout: timeoutMs, tries: 1 }),
  ): FindMailServers =>
  async (domains) => {
    const found = new Map<string, boolean>();
    const wanted = domains.filter((domain) => !reserved.test(domain)).slice(0, domainsMaximum);
    if (wanted.length === 0) return found;
    const resolver = createResolver();
    await withTimeout(
      Promise.all(
        wanted.map(async (domain) => {
          const result = await acceptsMail(resolver, domain);
          if (result !== null) found.set(domain, result);
        }),
      ),
      timeoutMs,
      () => null,
    );
    resolver.cancel();
    return found;
  };

/**
 * Returns null if unknown. Without an MX record, mail goes to the address of the domain itself. An MX record with the
 * name `.` means that the domain accepts no mail.
 */
async function acceptsMail(resolver: DnsResolver, domain: string): Promise<boolean | null> {
  const servers = await emptyIfNoRecord(resolver.resolveMx(domain));
  if (servers === null) return null;
  if (servers === 'no such name') return false;
  if (servers.length > 0) return servers.some(({ exchange }) => exchange !== '' && exchange !== '.');
  const addresses = await Promise.all([
    emptyIfNoRecord(resolver.resolve4(domain)),
    emptyIfNoRecord(resolver.resolve6(domain)),
  ]);
  if (addresses.some((some) => Array.isArray(some) && some.length > 0)) return true;
  return addresses.includes(null) ? null : false;
}

/** Returns null if the lookup failed. */
async function emptyIfNoRecord<T>(lookup: Promise<T[]>): Promise<T[] | 'no such name' | null> {
  try {
    return await lookup;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENODATA') return [];
    return code === 'ENOTFOUND' ? 'no such name' : null;
  }
}
