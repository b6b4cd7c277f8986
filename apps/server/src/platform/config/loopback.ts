import { isIP } from 'node:net';

/** Returns whether a host name or address is only reachable from this machine (RFC 6761, section 6.3). */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return bare === '::1' || (isIP(bare) === 4 ? bare.startsWith('127.') : /^(?:.+\.)?localhost$/.test(bare));
}
