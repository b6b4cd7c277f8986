/** Checks the client registration by sending an authorization request. */
import {
  providerAdvice as advice,
  providerFacts as facts,
  providerTopics as topics,
  type ProviderFinding,
} from '@vestibule/contract/settings/provider-check';
import { createMessage, type Message } from '@vestibule/contract/texts/text';
import {
  createFindings,
  literalMessage,
  originOf,
  type Metadata,
  type ProviderCheckDeps,
} from './provider-finding.ts';
import { probeOnce } from './http-probe.ts';

/** The redirect address to register, exactly. */
export const pageAddress = (publicUrl: string): string => `${publicUrl}/`;

/** Error codes by cause. The request has prompt=none, so that the provider answers immediately. */
const codes: { pattern: RegExp; cause: 'client' | 'redirect' | 'scope' | 'silent' }[] = [
  { pattern: /AADB2C900(?:06|07)|AADSTS50011/, cause: 'redirect' },
  { pattern: /AADB2C900(?:18|11)|AADSTS700016/, cause: 'client' },
  { pattern: /AADB2C90(?:117|012|010|205)|AADSTS(?:65001|650053|70011)|invalid_scope/, cause: 'scope' },
  {
    pattern: /AADB2C90077|AADSTS50058|login_required|interaction_required|consent_required/,
    cause: 'silent',
  },
];

export async function checkRegistration(
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
    // The verifier of this challenge is unknown, so that no code can be redeemed.
    code_challenge: 'A'.repeat(43),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const answer = await probeOnce(deps.fetch, url.href);
  const redirectFinding = createFindings(
    createMessage(topics.redirect),
    createMessage(facts.registered, { address: redirect }),
  );
  const unknown = (found: Message) =>
    redirectFinding.warning(found, createMessage(advice.compareRegistration, { address: redirect }));
  if ('error' in answer) return [unknown(answer.error)];
  const location = answer.headers.get('location');
  const accepted = location !== null && location.startsWith(redirect);
  const responseText = accepted ? [...new URL(location).searchParams.values()].join(' ') : answer.text;
  const cause = codes.find(({ pattern }) => pattern.test(responseText))?.cause;
  const errorText = /(?:AADB2C|AADSTS)\d+:?[^<\r\n"]{0,200}/.exec(responseText)?.[0].trim() ?? '';
  const client = createFindings(createMessage(topics.client), createMessage(facts.knownClient)).ok(
    literalMessage(provider.clientId),
  );
  const scopes = createFindings(createMessage(topics.scopes), literalMessage(provider.apiScopes.join(' ')));
  const refusal = errorText ? literalMessage(errorText) : createMessage(facts.notAccepted);
  if (cause === 'client') {
    const clientFinding = createFindings(
      createMessage(topics.client),
      createMessage(facts.clientCalled, { client: provider.clientId }),
    );
    return [clientFinding.failed(refusal, createMessage(advice.correctClient))];
  }
  if (cause === 'redirect')
    return [client, redirectFinding.failed(refusal, createMessage(advice.register, { address: redirect }))];
  if (cause === 'scope')
    return [client, redirectFinding.ok(), scopes.failed(refusal, createMessage(advice.correctScopes))];
  if (accepted && (cause === 'silent' || new URL(location).searchParams.has('code')))
    return [client, redirectFinding.ok(), scopes.ok()];
  return [
    unknown(
      errorText ? literalMessage(errorText) : createMessage(facts.unknownAnswer, { status: answer.status }),
    ),
  ];
}
