/** Reverse proxies of the site (TRUST_PROXY): their requests, and the addresses that they forward. */
import { BlockList, isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clientAddress } from './ip-network.ts';
import { isPublicAddress } from './outbound-http.ts';

/**
 * Returns X-Forwarded-For without the ports that Azure Application Gateway and IIS add, and without everything up to the last text that is
 * no IP address, such as `unknown` of Squid. With a port, a further trusted proxy would not be recognized, and each connection would count
 * as another network.
 */
export function readForwardedFor(header: string): string {
  const addresses = header
    .split(',')
    .map((part) => part.trim().replace(/^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/, '$1$2'));
  return addresses.slice(addresses.findLastIndex((address) => isIP(address) === 0) + 1).join(', ');
}

/** Logs a warning for the first request that a proxy in a private network forwards although TRUST_PROXY does not contain it. */
export function warnOfUntrustedProxy(app: FastifyInstance): void {
  let isWarned = false;
  app.addHook('onRequest', (request, _reply, done) => {
    const { 'x-forwarded-for': header } = request.headers;
    if (!isWarned && typeof header === 'string') {
      const address = clientAddress(request);
      const [forwarded = ''] = readForwardedFor(header).split(', ');
      isWarned = forwarded !== '' && forwarded !== address && !isPublicAddress(address);
      if (isWarned)
        request.log.warn(
          `the proxy ${address} is not in TRUST_PROXY: all its users have this address in logs and count together in limits`,
        );
    }
    done();
  });
}

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
