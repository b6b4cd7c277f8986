/**
 * Fetches what the check of the provider reads: with a time limit, a size limit, and never from another host than the
 * one that was meant. What goes wrong is told in words. It judges nothing.
 */
import { probeTexts } from '@vestibule/contract/settings/provider-check';
import { createMessage, type Message } from '@vestibule/contract/texts/text';

/** An answer, or in `trouble` why there is none. */
type Visit = Answer | { trouble: Message };
type Answer = { status: number; headers: Headers; text: string };

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const timeoutMilliseconds = 4_000;
const maximumBytes = 512 * 1024;
const maximumRedirects = 2;

/** GET, following at most two redirects on the same host. */
export async function visit(fetch: Fetch, address: string): Promise<Visit> {
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  let url = address;
  for (let redirects = 0; redirects <= maximumRedirects; redirects += 1) {
    const answer = await visitOnce(fetch, url, signal);
    if ('trouble' in answer) return answer;
    const location = answer.headers.get('location');
    if (answer.status < 300 || answer.status > 399 || location === null) return answer;
    const target = URL.canParse(location, url) ? new URL(location, url) : null;
    if (target?.origin !== new URL(address).origin)
      return { trouble: createMessage(probeTexts.foreignRedirect, { address, host: target?.host || '?' }) };
    url = target.href;
  }
  return { trouble: createMessage(probeTexts.circles, { address }) };
}

/** GET without following a redirect. */
export async function visitOnce(
  fetch: Fetch,
  url: string,
  signal: AbortSignal = AbortSignal.timeout(timeoutMilliseconds),
): Promise<Visit> {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal,
      headers: { accept: 'application/json, text/html' },
    });
    return { status: response.status, headers: response.headers, text: await readLimited(response) };
  } catch (error) {
    return { trouble: createMessage(textOf(error), { address: withoutQuery(url) }) };
  }
}

/** A visit to JSON: its object, or the trouble. */
export async function visitJson(
  fetch: Fetch,
  url: string,
): Promise<{ json: Record<string, unknown>; headers: Headers } | { trouble: Message; status?: number }> {
  const answer = await visit(fetch, url);
  if ('trouble' in answer) return answer;
  if (answer.status !== 200)
    return {
      trouble: createMessage(probeTexts.status, { address: url, status: answer.status }),
      status: answer.status,
    };
  try {
    const json: unknown = JSON.parse(answer.text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json))
      return { json: json as Record<string, unknown>, headers: answer.headers };
  } catch {
    // Said below.
  }
  return { trouble: createMessage(probeTexts.notJson, { address: url }) };
}

async function readLimited(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > maximumBytes) throw new Error('too large');
    text += decoder.decode(chunk as Uint8Array, { stream: true });
  }
  return text;
}

const troubles: [RegExp, { code: string; message: `{address}: ${string}` }][] = [
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

function textOf(error: unknown) {
  const { name, message, code, cause } = error as Error & {
    code?: string;
    cause?: { code?: string; message?: string };
  };
  const said = [name, message, code, cause?.code, cause?.message].join(' ');
  return troubles.find(([pattern]) => pattern.test(said))?.[1] ?? probeTexts.unreachable;
}

/** The request that is tried has much in its query that helps nobody here. */
const withoutQuery = (url: string): string => url.replace(/\?.*$/s, '');
