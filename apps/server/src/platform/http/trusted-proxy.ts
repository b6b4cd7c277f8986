/** Tells requests of the site's reverse proxies (TRUST_PROXY) from those of other clients. */
import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Returns a function that reports whether the direct sender of a request is a trusted proxy. */
export function createIsTrustedProxy(
  networks: readonly string[] | false,
): (request: FastifyRequest) => boolean {
  const trusted = new BlockList();
  for (const network of networks || []) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return ({ raw }) => {
    const sender = raw.socket.remoteAddress ?? '';
    const family = isIP(sender);
    return family !== 0 && trusted.check(sender, family === 6 ? 'ipv6' : 'ipv4');
  };
}
