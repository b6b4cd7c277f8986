/** What is registered at the sign-in service, found out by the request that begins each sign-in. */
import type { ProviderFinding } from '@vestibule/contract/settings';
import { ok, originOf, trouble, type Metadata, type ProviderCheckDeps } from './provider-finding.ts';
import { visitOnce } from './provider-visit.ts';

/** What has to be registered, letter by letter. */
export const redirectAddresses = (publicUrl: string): string[] => [`${publicUrl}/`];

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
  if (typeof endpoint !== 'string' || originOf(endpoint) !== new URL(deps.providerUrl).origin) return [];
  const [redirect = ''] = redirectAddresses(publicUrl);
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
  const names = { client: 'Client id', redirect: 'Redirect address', scope: 'Scopes' };
  const unknown = (found: string): ProviderFinding =>
    trouble(
      'warning',
      names.redirect,
      found,
      `${redirect} is registered`,
      `Compare what is registered at the sign-in service (single-page application) with ${redirect}, slash included.`,
    );
  if ('trouble' in answer) return [unknown(`could not be tried: ${answer.trouble}`)];
  const location = answer.headers.get('location');
  const accepted = location !== null && location.startsWith(redirect);
  const said = accepted ? [...new URL(location).searchParams.values()].join(' ') : answer.text;
  const is = codes.find(({ pattern }) => pattern.test(said))?.is;
  const words = /(?:AADB2C|AADSTS)\d+:?[^<\r\n"]{0,200}/.exec(said)?.[0].trim() ?? '';
  const client = ok(names.client, provider.clientId, 'an application that the sign-in service knows');
  const registered = ok(names.redirect, `${redirect} is registered`, `${redirect} is registered`);
  const scopes = provider.apiScopes.join(' ');
  if (is === 'client')
    return [
      trouble(
        'failed',
        names.client,
        words,
        `an application with the id ${provider.clientId}`,
        'Correct CLIENT_ID, or TENANT_NAME if it belongs to another tenant.',
      ),
    ];
  if (is === 'redirect')
    return [
      client,
      trouble(
        'failed',
        names.redirect,
        words || 'it is refused',
        `${redirect} is registered`,
        `Register ${redirect} at the sign-in service, as an address of a single-page application, letter by letter.`,
      ),
    ];
  if (is === 'scope')
    return [
      client,
      registered,
      trouble(
        'failed',
        names.scope,
        words || 'refused',
        scopes,
        'Correct API_SCOPES, or expose the scope and grant it to the application.',
      ),
    ];
  if (accepted && (is === 'silent' || new URL(location).searchParams.has('code')))
    return [client, registered, ok(names.scope, scopes, scopes)];
  return [
    unknown(
      words || `the sign-in service answers with status ${answer.status} and no error that is known here`,
    ),
  ];
}
