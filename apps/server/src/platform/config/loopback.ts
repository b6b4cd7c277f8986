import { isIP } from 'node:net';

/** Whether a host, as it stands in an address or is listened on, can only be reached from this machine (RFC 6761, section 6.3). */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return bare === '::1' || (isIP(bare) === 4 ? bare.startsWith('127.') : /^(?:.+\.)?localhost$/.test(bare));
}
