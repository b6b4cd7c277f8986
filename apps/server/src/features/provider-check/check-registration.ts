/** What is registered at the sign-in service, found out by the request that begins each sign-in. */
import {
  providerAdvice as advice,
  providerFacts as facts,
  providerTopics as topics,
  type ProviderFinding,
} from '@vestibule/contract/settings/provider-check';
import { createMessage, type Message } from '@vestibule/contract/texts/text';
import { about, asIs, originOf, type Metadata, type ProviderCheckDeps } from './provider-finding.ts';
import { visitOnce } from './http-probe.ts';

/** What has to be registered, letter by letter. */
export const pageAddress = (publicUrl: string): string => `${publicUrl}/`;

/** What a provider says about the request that begins each sign-in; prompt=none, so that it answers at once. */
const codes: { pattern: RegExp; is: 'client' | 'redirect' | 'scope' | 'silent' }[] = [
  { pattern: /AADB2C900(?:06|07)|AADSTS50011/, is: 'redirect' },
  { pattern: /AADB2C900(?:18|11)|AADSTS700016/, is: 'client' },
  { pattern: /AADB2C90(?:117|012|010|205)|AADSTS(?:65001|650053|70011)|invalid_scope/, is: 'scope' },
  { pattern: /AADB2C90077|AADSTS50058|login_required|interaction_required|consent_required/, is: 'silent' },
];

export async function inspectRegistration(
  deps: ProviderCheckDeps,
  metadata: Metadata | null,
): Promise<ProviderFinding[]> {
  const { provider, publicUrl } = deps;
  const endpoint = metadata?.['authorization_endpoint'];
  if (typeof endpoint !== 'string' || originOf(endpoint) !== new URL(deps.provider.url).origin) return [];
  const redirect = pageAddress(publicUrl);
  const url = new URL(endpoint);
  const parameters = {
    client_id: provider.clientId,
    redirect_uri: redirect,
    response_type: 'code',
    response_mode: 'query',
    scope: ['openid', 'offline_access', ...provider.apiScopes].join(' '),
    prompt: 'none',
    state: 'check',
    nonce: 'check',
    // A challenge that nobody knows the verifier of: no code is ever redeemed.
    code_challenge: 'A'.repeat(43),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const answer = await visitOnce(deps.fetch, url.href);
  const atRedirect = about(
    createMessage(topics.redirect),
    createMessage(facts.registered, { address: redirect }),
  );
  const unknown = (found: Message) =>
    atRedirect.warning(found, createMessage(advice.compareRegistration, { address: redirect }));
  if ('trouble' in answer) return [unknown(answer.trouble)];
  const location = answer.headers.get('location');
  const accepted = location !== null && location.startsWith(redirect);
  const said = accepted ? [...new URL(location).searchParams.values()].join(' ') : answer.text;
  const is = codes.find(({ pattern }) => pattern.test(said))?.is;
  const words = /(?:AADB2C|AADSTS)\d+:?[^<\r\n"]{0,200}/.exec(said)?.[0].trim() ?? '';
  const client = about(createMessage(topics.client), createMessage(facts.knownClient)).ok(
    asIs(provider.clientId),
  );
  const scopes = about(createMessage(topics.scopes), asIs(provider.apiScopes.join(' ')));
  const refusal = words ? asIs(words) : createMessage(facts.notAccepted);
  if (is === 'client') {
    const called = about(
      createMessage(topics.client),
      createMessage(facts.clientCalled, { client: provider.clientId }),
    );
    return [called.failed(refusal, createMessage(advice.correctClient))];
  }
  if (is === 'redirect')
    return [client, atRedirect.failed(refusal, createMessage(advice.register, { address: redirect }))];
  if (is === 'scope')
    return [client, atRedirect.ok(), scopes.failed(refusal, createMessage(advice.correctScopes))];
  if (accepted && (is === 'silent' || new URL(location).searchParams.has('code')))
    return [client, atRedirect.ok(), scopes.ok()];
  return [unknown(words ? asIs(words) : createMessage(facts.unknownAnswer, { status: answer.status }))];
}
