/** HTTP requests of the provider check, limited in time, size and redirects. Failures are described in messages. */
import { probeTexts } from '@vestibule/contract/settings/provider-check';
import { createMessage, type Message } from '@vestibule/contract/texts/text';

/** A response, or in `error` the reason for its absence. */
type HttpProbe = Answer | { error: Message };
type Answer = { status: number; headers: Headers; text: string };

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const timeoutMs = 4_000;
const maxBytes = 512 * 1024;
const maxRedirects = 2;

/** Sends a GET request and follows redirects on the same origin. */
export async function probe(fetch: Fetch, address: string): Promise<HttpProbe> {
  const signal = AbortSignal.timeout(timeoutMs);
  let url = address;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const answer = await probeOnce(fetch, url, signal);
    if ('error' in answer) return answer;
    const location = answer.headers.get('location');
    if (answer.status < 300 || answer.status > 399 || location === null) return answer;
    const target = URL.canParse(location, url) ? new URL(location, url) : null;
    if (target?.origin !== new URL(address).origin)
      return { error: createMessage(probeTexts.foreignRedirect, { address, host: target?.host || '?' }) };
    url = target.href;
  }
  return { error: createMessage(probeTexts.circles, { address }) };
}

/** Sends a GET request without following redirects. */
export async function probeOnce(
  fetch: Fetch,
  url: string,
  signal: AbortSignal = AbortSignal.timeout(timeoutMs),
): Promise<HttpProbe> {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal,
      headers: { accept: 'application/json, text/html' },
    });
    return { status: response.status, headers: response.headers, text: await readLimited(response) };
  } catch (error) {
    return { error: createMessage(messageFor(error), { address: withoutQuery(url) }) };
  }
}

/** Fetches a JSON object. */
export async function probeJson(
  fetch: Fetch,
  url: string,
): Promise<{ json: Record<string, unknown>; headers: Headers } | { error: Message; status?: number }> {
  const answer = await probe(fetch, url);
  if ('error' in answer) return answer;
  if (answer.status !== 200)
    return {
      error: createMessage(probeTexts.status, { address: url, status: answer.status }),
      status: answer.status,
    };
  try {
    const json: unknown = JSON.parse(answer.text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json))
      return { json: json as Record<string, unknown>, headers: answer.headers };
  } catch {
    // Reported below.
  }
  return { error: createMessage(probeTexts.notJson, { address: url }) };
}

async function readLimited(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > maxBytes) throw new Error('too large');
    text += decoder.decode(chunk as Uint8Array, { stream: true });
  }
  return text;
}

const messagesByError: [RegExp, { code: string; message: `{address}: ${string}` }][] = [
  [/TimeoutError|ETIMEDOUT|TIMEOUT/, probeTexts.timeout],
  [/ENOTFOUND|EAI_AGAIN/, probeTexts.noHost],
  [/ECONNREFUSED/, probeTexts.refused],
  [/EHOSTUNREACH|ENETUNREACH/, probeTexts.noWay],
  [/CERT_HAS_EXPIRED/, probeTexts.certificateExpired],
  [/ERR_TLS_CERT_ALTNAME_INVALID/, probeTexts.certificateHost],
  [/SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|CERT_/, probeTexts.certificateTrust],
  [/ERR_SSL|EPROTO|ERR_TLS/, probeTexts.noEncryption],
  [/ECONNRESET|UND_ERR_SOCKET/, probeTexts.brokenOff],
  [/too large/, probeTexts.tooLarge],
];

function messageFor(error: unknown) {
  const { name, message, code, cause } = error as Error & {
    code?: string;
    cause?: { code?: string; message?: string };
  };
  const details = [name, message, code, cause?.code, cause?.message].join(' ');
  return messagesByError.find(([pattern]) => pattern.test(details))?.[1] ?? probeTexts.unreachable;
}

/** Removes the query, which is long and does not help administrators. */
const withoutQuery = (url: string): string => url.replace(/\?.*$/s, '');
