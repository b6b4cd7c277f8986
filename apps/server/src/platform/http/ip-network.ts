/** Groups addresses for counting attempts. */
import { isIPv6 } from 'node:net';

/**
 * Returns an IPv4 address unchanged, and the first 64 bits of an IPv6 address: a subscriber gets a whole /64 (RFC 6177;
 * RFC 4291, section 2.5.4). Other texts are returned unchanged.
 */
export function networkOf(address: string): string {
  const plain = address.split('%')[0] as string;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0').split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const first = groups(head);
  const last = groups(tail ?? '');
  const all =
    tail === undefined
      ? first
      : [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** On a dual-stack socket (HOST=::), the addresses of IPv4 clients are mapped (RFC 4291, section 2.5.5.2). */
export const clientAddress = ({ ip }: { ip: string }): string => ip.replace(/^::ffff:(?=[\d.]+$)/i, '');
