/**
 * Sends requests to user-supplied URLs without exposing the server's network (SSRF): names are resolved and checked first and the
 * connection uses the checked address, redirects are not followed, and response time and size are limited.
 */
import { lookup as lookUp, type LookupAddress } from 'node:dns';
import { request as requestPlain, Agent as PlainAgent, type IncomingMessage } from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import { BlockList, isIP } from 'node:net';
import { promisify } from 'node:util';

export type LookUp = (host: string, options: { all: true }) => Promise<LookupAddress[]>;

/** Error for a URL in a private network or without encryption. */
export class UnsafeAddress extends Error {
  readonly reason: 'private' | 'plain';
  constructor(reason: UnsafeAddress['reason']) {
    super(
      reason === 'private'
        ? 'The address is in a private network; nothing is sent there.'
        : 'The address does not begin with https://, and nothing is sent unencrypted.',
    );
    this.reason = reason;
  }
}

type FailureReason =
  | 'late'
  | 'unknownHost'
  | 'unreachable'
  | 'certificate'
  | 'lost'
  | UnsafeAddress['reason'];

/** Error codes of Node.js and OpenSSL. Their messages are unclear to administrators. */
const reasonsByCode: [code: RegExp, reason: FailureReason][] = [
  [/^(?:ENOTFOUND|EAI_\w+)$/, 'unknownHost'],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/, 'unreachable'],
  [/CERT|SIGNATURE/, 'certificate'],
  [/^(?:ECONNRESET|EPIPE)$/, 'lost'],
];

/** Returns why a request failed, by the error that `fetch` threw; `late` for an aborted one. */
export function failureReason(thrown: unknown): FailureReason | undefined {
  const error = ((thrown as Error).cause ?? thrown) as Error & { code?: string };
  if (error instanceof UnsafeAddress) return error.reason;
  if (/^(?:Abort|Timeout)Error$/.test(error.name)) return 'late';
  return reasonsByCode.find(([code]) => code.test(error.code ?? ''))?.[1];
}

/** Addresses outside the public internet (IANA's special-purpose registries: RFC 6890 and later). */
const nonPublicAddresses = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  nonPublicAddresses.addSubnet(network, bits, 'ipv4');
// Exceptions within IPv6 global unicast: protocols (including Teredo), documentation, and 6to4, which embeds an IPv4 address.
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  nonPublicAddresses.addSubnet(network, bits, 'ipv6');
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Returns whether an IP address is on the public internet. IPv6 is limited to global unicast, which excludes mapped IPv4. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !nonPublicAddresses.check(address, 'ipv4');
  return family === 6 && globalUnicast.check(address, 'ipv6') && !nonPublicAddresses.check(address, 'ipv6');
}

const connections = { keepAlive: true, timeout: 4_000, maxFreeSockets: 32 };
const fetchTimeoutMs = 10_000;
/** Default limit of responses, such as metadata and keys of a provider. */
const responseMaximumBytes = 512 * 1024;

type Message = {
  method: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
  /** Bytes of the response to read, if its start is sufficient. */
  startBytes: number | undefined;
};

/** `lookup` replaces the system's resolver in tests. */
export function createOutboundHttp(options: { allowsPrivate: boolean; lookup?: LookUp }) {
  const find: LookUp = options.lookup ?? promisify(lookUp);
  /** Concurrent calls for one host share a lookup: pending lookups block threads that also read files. */
  const pendingLookups = new Map<string, Promise<LookupAddress[]>>();
  const agents = { 'http:': new PlainAgent(connections), 'https:': new TlsAgent(connections) };

  function findShared(host: string): Promise<LookupAddress[]> {
    const found =
      pendingLookups.get(host) ?? find(host, { all: true }).finally(() => pendingLookups.delete(host));
    pendingLookups.set(host, found);
    return found;
  }

  /** Resolves a host and requires every address to be safe: otherwise a name with two addresses could bypass the check. */
  async function resolve({ protocol, hostname }: URL): Promise<LookupAddress[]> {
    if (!options.allowsPrivate && protocol !== 'https:') throw new UnsafeAddress('plain');
    const bare = hostname.replaceAll(/^\[|\]$/g, '');
    const family = isIP(bare);
    const found = family === 0 ? await findShared(bare) : [{ address: bare, family }];
    if (!options.allowsPrivate && found.some(({ address }) => !isPublicAddress(address)))
      throw new UnsafeAddress('private');
    return found;
  }

  async function send(url: URL, message: Message): Promise<{ response: IncomingMessage; body: Buffer }> {
    const [first, ...others] = await abortable(message.signal, resolve(url));
    if (!first) throw new Error('The name of the host has no address.');
    const request = (url.protocol === 'https:' ? requestTls : requestPlain)(url, {
      method: message.method,
      headers: { ...message.headers, 'content-length': Buffer.byteLength(message.body) },
      agent: agents[url.protocol as keyof typeof agents],
      signal: message.signal,
      // Uses the checked addresses; a second lookup could return different ones (DNS rebinding).
      lookup: (_host, { all }, done) =>
        all ? done(null, [first, ...others]) : done(null, first.address, first.family),
    });
    request.end(message.body);
    const response = await new Promise<IncomingMessage>((resolved, rejected) => {
      request.once('response', resolved).on('error', rejected);
    });
    return { response, body: await readBody(response, message.startBytes) };
  }

  return {
    /** Throws UnsafeAddress. Resolution errors are ignored: they may be temporary. */
    async check(address: string): Promise<void> {
      await resolve(new URL(address)).catch((error: unknown) => {
        if (error instanceof UnsafeAddress) throw error;
      });
    },

    /**
     * Like the global `fetch`, for requests with a text or form body. Returns redirects as they are. Throws a TypeError with the
     * cause if there is no response, and for an unsafe URL. With `startBytes`, reads only the start of the response, and returns it also if
     * the rest does not arrive.
     */
    async fetch(address: string | URL, request: RequestInit = {}, startBytes?: number): Promise<Response> {
      const headers = new Headers(request.headers);
      const { body = null } = request;
      if (body instanceof URLSearchParams && !headers.has('content-type'))
        headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
      const { response, body: received } = await send(new URL(address), {
        method: request.method ?? 'GET',
        headers: Object.fromEntries(headers),
        body: body === null ? '' : (body as string | URLSearchParams).toString(),
        signal: request.signal ?? AbortSignal.timeout(fetchTimeoutMs),
        startBytes,
      }).catch((cause: unknown) => {
        if (request.signal?.aborted) throw request.signal.reason;
        throw new TypeError('fetch failed', { cause });
      });
      const status = response.statusCode ?? 0;
      // `Response` refuses other statuses.
      if (status < 200 || status > 599)
        throw new TypeError('fetch failed', { cause: new Error(`The response has the status ${status}.`) });
      const hasBody = ![204, 205, 304].includes(status);
      return new Response(hasBody ? new Uint8Array(received) : null, {
        status,
        headers: Object.entries(response.headers).flatMap(([name, value = '']) =>
          [value].flat().map((one): [string, string] => [name, one]),
        ),
      });
    },
  };
}
export type OutboundHttp = ReturnType<typeof createOutboundHttp>;

const abortable = <Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> =>
  new Promise((resolved, rejected) => {
    const stop = () => rejected(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolved, rejected);
  });

async function readBody(response: IncomingMessage, startBytes: number | undefined): Promise<Buffer> {
  const maximumBytes = startBytes ?? responseMaximumBytes;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      // Leaving the loop closes the connection.
      if (bytes >= maximumBytes) break;
    }
  } catch (error) {
    if (startBytes === undefined) throw error;
  }
  return Buffer.concat(chunks).subarray(0, maximumBytes);
}
