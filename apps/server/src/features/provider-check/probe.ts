/** Findings of the provider check, and the requests that OpenID Connect providers of every kind have in common. */
import {
  probeTexts,
  providerAdvice as advice,
  providerFacts as facts,
  type ProviderFinding,
} from '@vestibule/contract/settings/provider-check';
import { createMessage, type Message } from '@vestibule/contract/texts/text';

/** A metadata document (OpenID Connect Discovery 1.0, section 3), or another JSON object. */
export type Metadata = Record<string, unknown>;

type Failure = { error: Message; status?: number };
type ProbeResponse = { status: number; headers: Headers; text: string };

const timeoutMs = 4_000;

/** For untranslated values: names, addresses, provider messages. */
export const literalMessage = (value: string): Message => createMessage(facts.asIs, { value });

/** Returns a function that creates findings about one topic. Without `remedy`, nothing has to be corrected. */
export const createFinding =
  (topic: Message, expected: Message) =>
  (
    outcome: ProviderFinding['outcome'],
    found = expected,
    remedy: Message | null = null,
  ): ProviderFinding => ({ topic, outcome, found, expected, remedy });

/** Sends a GET request without following redirects, as the libraries that read metadata and keys do. */
export async function probe(url: string, send: typeof fetch = fetch): Promise<ProbeResponse | Failure> {
  try {
    const response = await send(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
    const reason = cause?.code ?? cause?.message ?? message;
    // The query is long and does not help administrators.
    const address = url.replace(/\?.*$/s, '');
    if (name === 'TimeoutError') return { error: createMessage(probeTexts.timeout, { address }) };
    if (/ENOTFOUND|EAI_AGAIN/.test(reason)) return { error: createMessage(probeTexts.noHost, { address }) };
    return /CERT|SIGNED|UNABLE_TO/.test(reason)
      ? { error: createMessage(probeTexts.certificate, { address, reason }) }
      : { error: createMessage(probeTexts.unreachable, { address, reason }) };
  }
}

export async function probeJson(
  address: string,
  send?: typeof fetch,
): Promise<{ json: Metadata; headers: Headers } | Failure> {
  const response = await probe(address, send);
  if ('error' in response) return response;
  const { status, headers, text } = response;
  if (status !== 200) return { error: createMessage(probeTexts.status, { address, status }), status };
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null) return { json: json as Metadata, headers };
  } catch {
    // Reported below.
  }
  return { error: createMessage(probeTexts.notJson, { address }) };
}

/** Reads the signing keys of these types. `remedy` is the advice if there are none. */
export async function checkKeys(
  topic: Message,
  request: { address: unknown; types: string[]; remedy: Message; fetch?: typeof fetch | undefined },
): Promise<ProviderFinding> {
  const { address, types, remedy, fetch: send } = request;
  const finding = createFinding(topic, createMessage(facts.signingKeys));
  if (typeof address !== 'string' || !URL.canParse(address))
    return finding('failed', createMessage(facts.noKeyUsable, { count: 0 }), remedy);
  const response = await probeJson(address, send);
  if ('error' in response) return finding('failed', response.error, createMessage(advice.reachKeys));
  const keys = Array.isArray(response.json['keys']) ? (response.json['keys'] as Metadata[]) : [];
  const usable = keys.filter(({ use, kty }) => use !== 'enc' && types.includes(String(kty)));
  if (usable.length === 0)
    return finding('failed', createMessage(facts.noKeyUsable, { count: keys.length }), remedy);
  const list = usable.map(({ kid }) => (typeof kid === 'string' ? kid : '?')).join(', ');
  return finding('ok', createMessage(facts.someKeys, { list }));
}

/** Compares the clocks by the header `Date`; a response without it causes no finding. */
export function checkClock(topic: Message, headers: Headers, now: number): ProviderFinding[] {
  const seconds = Math.round((now - Date.parse(headers.get('date') ?? '')) / 1000);
  if (Number.isNaN(seconds)) return [];
  const finding = createFinding(topic, createMessage(facts.closeTogether));
  const difference = Math.abs(seconds);
  const found = createMessage(seconds < 0 ? facts.behind : facts.ahead, { seconds: difference });
  if (difference < 10) return [finding('ok', found)];
  return [finding(difference > 60 ? 'failed' : 'warning', found, createMessage(advice.networkTime))];
}
