/** Looks up TXT records (RFC 1035, section 3.3.14). */
import { Resolver } from 'node:dns/promises';

/** Returns the TXT records of a name, none if the name or its records do not exist, and null if the lookup failed. */
export type FindTxtRecords = (name: string) => Promise<string[] | null>;

const timeoutMs = 2_000;
const tries = 2;

/** `servers`: addresses of DNS servers, such as `192.0.2.1:53`; empty for those of the machine. */
export const createTxtRecordFinder =
  (servers: readonly string[]): FindTxtRecords =>
  async (name) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers.length > 0) resolver.setServers(servers);
    try {
      // A long record consists of several parts. Some DNS providers store the quotation marks that users type around the value.
      return (await resolver.resolveTxt(name)).map((parts) =>
        parts
          .join('')
          .trim()
          .replace(/^"(.*)"$/s, '$1'),
      );
    } catch (error) {
      const { code } = error as { code?: string };
      return code === 'ENOTFOUND' || code === 'ENODATA' ? [] : null;
    }
  };
