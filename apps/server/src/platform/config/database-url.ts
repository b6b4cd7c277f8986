/**
 * Database URLs with one host or several, as libpq reads them
 * (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS). pg supports neither several hosts nor
 * target_session_attrs.
 */

export type DatabaseHost = { host: string; port: number };

const targets = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;
export type TargetSessionAttributes = (typeof targets)[number];

export type DatabaseUrl = {
  /** The same URL with one host, which URL and pg can parse. */
  url: string;
  hosts: DatabaseHost[];
  target: TargetSessionAttributes;
};

const pattern = /^(?<start>postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?<authority>[^/?#@]*)(?<rest>.*)$/s;
const hostAndPort = /^(?<host>\[[^\]]*\]|[^:]*)(?::(?<port>\d*))?$/;
const defaultPort = '5432';

/**
 * Returns the URL in a form that pg reads as libpq does. Google Cloud SQL and Debian name a socket by the parameter `host` and leave out the
 * host of the URL. pg encodes the whole URL a second time if it contains a space or a bare percent sign. For these values of sslmode,
 * pg does the same as for verify-full, and warns at each start.
 */
export function normalizeDatabaseUrl(text: string): string {
  const url = text
    .replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/?]|$)/, '$1localhost')
    .replaceAll(' ', '%20')
    .replaceAll(/%(?![\da-f]{2})/gi, '%25');
  if (url.includes('uselibpqcompat=true')) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

/** Returns null if the URL is invalid. */
export function parseDatabaseUrl(text: string): DatabaseUrl | null {
  const { start = '', authority = '', rest = '' } = pattern.exec(text)?.groups ?? {};
  const parts = authority.split(',');
  const url = `${start}${parts[0]}${rest}`;
  if (!URL.canParse(url)) return null;
  const parameters = new URL(url).searchParams;
  const given = parts.map((part) => hostAndPort.exec(part)?.groups ?? {});
  // The parameters replace the hosts and ports of the authority. One port applies to all hosts.
  const names = parameters.get('host')?.split(',') ?? given.map(({ host }) => decodeHost(host));
  const ports = parameters.get('port')?.split(',') ?? given.map(({ port }) => port);
  if (ports.length !== 1 && ports.length !== names.length) return null;
  const hosts = names.map((host, index) => ({
    host: host ?? '',
    port: Number((ports.length === 1 ? ports[0] : ports[index]) || defaultPort),
  }));
  const isValid = hosts.every(({ host, port }) => (host || hosts.length === 1) && port > 0 && port <= 65_535);
  const target = targets.find((one) => one === (parameters.get('target_session_attrs') ?? 'any'));
  return isValid && target ? { url, hosts, target } : null;
}

function decodeHost(host: string | undefined): string | undefined {
  try {
    return host && decodeURIComponent(host.replace(/^\[(.*)\]$/, '$1'));
  } catch {
    return undefined;
  }
}
