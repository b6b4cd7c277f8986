/** The sign-in service itself: its address, policies, metadata, keys and clock. */
import type { ProviderFinding } from '@vestibule/contract/settings';
import {
  ok,
  originOf,
  refusedLately,
  timeOf,
  trouble,
  type Metadata,
  type ProviderCheckDeps,
} from './provider-finding.ts';
import { visitJson } from './provider-visit.ts';

/** The names of policies and their variables, as people know them. */
const policies = [
  { label: 'Sign-in policy', key: 'signInPolicy', variable: 'SIGN_IN_POLICY' },
  { label: 'Sign-up policy', key: 'signUpPolicy', variable: 'SIGN_UP_POLICY' },
  { label: 'Password-reset policy', key: 'resetPasswordPolicy', variable: 'RESET_PASSWORD_POLICY' },
] as const;

type PolicyVisit = {
  label: string;
  name: string;
  variable: string;
  metadata: Metadata | null;
  headers?: Headers;
};

/** All findings, and the metadata of the sign-in policy for those who go on with it. */
export async function inspectProvider(
  deps: ProviderCheckDeps,
): Promise<{ findings: ProviderFinding[]; signIn: Metadata | null }> {
  const visits = await Promise.all(policies.map((policy) => visitPolicy(deps, policy)));
  const signIn = visits[0]?.visit;
  return {
    signIn: signIn?.metadata ?? null,
    findings: [
      inspectEncryption(deps),
      ...visits.map(({ finding }) => finding),
      inspectPolicyNames(deps),
      ...inspectMetadata(
        deps,
        visits.map(({ visit }) => visit),
      ),
      ...(await inspectKeys(deps, signIn?.metadata ?? null)),
      ...(signIn?.headers ? [inspectClock(deps, signIn.headers)] : []),
    ],
  };
}

function inspectEncryption({ provider, isEmbedded }: ProviderCheckDeps): ProviderFinding {
  const name = 'Encryption';
  if (isEmbedded)
    return trouble(
      'warning',
      name,
      'the embedded sign-in service, for development',
      'a sign-in service of your own, on https',
      'Before real people come in, set AUTH_BASE_URL and the variables that belong to it.',
    );
  const { protocol } = new URL(provider.authBaseUrl);
  return protocol === 'https:'
    ? ok(name, 'https', 'https')
    : trouble(
        'failed',
        name,
        'http: passwords could be read on their way',
        'https',
        'Begin AUTH_BASE_URL with https://.',
      );
}

async function visitPolicy(
  deps: ProviderCheckDeps,
  { label, key, variable }: (typeof policies)[number],
): Promise<{ visit: PolicyVisit; finding: ProviderFinding }> {
  const name = deps.provider[key];
  const url = `${deps.providerUrl}/${deps.provider.tenantName}.onmicrosoft.com/${name}/v2.0/.well-known/openid-configuration`;
  const answer = await visitJson(deps.fetch, url);
  const none = { label, name, variable, metadata: null };
  if ('trouble' in answer) {
    const unknown = answer.status !== undefined && answer.status >= 400 && answer.status < 500;
    return {
      visit: none,
      finding: trouble(
        'failed',
        label,
        unknown
          ? `the sign-in service knows no policy ${name} in the tenant ${deps.provider.tenantName}`
          : `${new URL(url).host}: ${answer.trouble}`,
        `metadata at ${url}`,
        unknown
          ? `Correct ${variable} or TENANT_NAME, or upload the policy.`
          : 'Correct AUTH_BASE_URL, and see that this server may reach it (name, firewall, certificate).',
      ),
    };
  }
  const { issuer, jwks_uri: keys, authorization_endpoint: authorize, token_endpoint: token } = answer.json;
  if ([issuer, keys, authorize, token].some((value) => typeof value !== 'string'))
    return {
      visit: none,
      finding: trouble(
        'failed',
        label,
        'an answer that is not the metadata of a sign-in service',
        'issuer, jwks_uri, authorization_endpoint and token_endpoint',
        'Correct AUTH_BASE_URL and TENANT_NAME: something else answers there.',
      ),
    };
  return {
    visit: { label, name, variable, metadata: answer.json, headers: answer.headers },
    finding: ok(label, `${name} is there`, `a policy ${name}`),
  };
}

function inspectPolicyNames({ provider }: ProviderCheckDeps): ProviderFinding {
  const name = 'Policies are different ones';
  const expected = 'three policies';
  const [signIn, signUp, reset] = policies.map(({ key }) => provider[key].toLowerCase());
  if (reset === signIn || reset === signUp)
    return trouble(
      'failed',
      name,
      'the password-reset policy is also used to come in, so a reset token would open the site',
      expected,
      'Name a policy of its own in RESET_PASSWORD_POLICY.',
    );
  return signIn === signUp
    ? trouble(
        'failed',
        name,
        'sign-in and sign-up are one policy, so people can sign up without an invitation',
        expected,
        'Name the policy that asks for an invitation in SIGN_UP_POLICY.',
      )
    : ok(name, expected, expected);
}

function inspectMetadata(deps: ProviderCheckDeps, visits: PolicyVisit[]): ProviderFinding[] {
  const found = visits.filter(
    (visit): visit is PolicyVisit & { metadata: Metadata } => visit.metadata !== null,
  );
  if (found.length === 0) return [];
  return [inspectIssuer(deps, found), inspectEndpoints(deps, found), inspectAbilities(found)];
}

function inspectIssuer(
  deps: ProviderCheckDeps,
  visits: (PolicyVisit & { metadata: Metadata })[],
): ProviderFinding {
  const name = 'Issuer';
  const issuers = [...new Set(visits.map(({ metadata }) => String(metadata['issuer'])))];
  const [issuer = ''] = issuers;
  const expected = 'one issuer for all policies, the one that tokens name';
  if (issuers.length > 1)
    return trouble(
      'failed',
      name,
      `different ones: ${visits.map((visit) => `${visit.label}: ${String(visit.metadata['issuer'])}`).join('; ')}`,
      expected,
      'In the policies, take the issuer without the policy (token compatibility: "iss" as https://<domain>/{tenant id}/v2.0/).',
    );
  const { refused, outcome } = refusedLately(deps, 'iss');
  if (refused)
    return trouble(
      outcome,
      name,
      `the metadata names ${issuer}, but a token of ${timeOf(refused.at)} named ${refused.issuer} and was refused`,
      expected,
      'Let AUTH_BASE_URL name the same domain as the sign-in pages, and all policies the same issuer.',
    );
  return ok(name, issuer, expected);
}

function inspectEndpoints(
  deps: ProviderCheckDeps,
  visits: (PolicyVisit & { metadata: Metadata })[],
): ProviderFinding {
  const name = 'Addresses in the metadata';
  const { origin } = new URL(deps.providerUrl);
  const foreign = visits.flatMap(({ metadata }) =>
    ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'end_session_endpoint'].flatMap((key) => {
      const address = metadata[key];
      return typeof address === 'string' && originOf(address) !== origin ? [`${key}: ${address}`] : [];
    }),
  );
  return foreign.length === 0
    ? ok(name, `all at ${origin}`, `all at ${origin}`)
    : trouble(
        'failed',
        name,
        `elsewhere: ${[...new Set(foreign)].slice(0, 4).join('; ')}`,
        `all at ${origin}, since browsers may only connect there`,
        'Let AUTH_BASE_URL name the domain that the metadata names, such as your custom domain.',
      );
}

function inspectAbilities(visits: { label: string; metadata: Metadata }[]): ProviderFinding {
  const name = 'What the sign-in service can do';
  const expected = 'response type code, signatures RS256';
  const lacking = visits.flatMap(({ label, metadata }) => [
    ...lacks(metadata['response_types_supported'], 'code', `${label}: no response type "code"`),
    ...lacks(metadata['id_token_signing_alg_values_supported'], 'RS256', `${label}: no signatures RS256`),
    ...lacks(metadata['code_challenge_methods_supported'], 'S256', `${label}: no PKCE with S256`),
  ]);
  return lacking.length === 0
    ? ok(name, 'all that is needed', expected)
    : trouble('failed', name, lacking.join('; '), expected, 'Correct the relying party of these policies.');
}

/** What a provider does not list is not judged: B2C lists no PKCE and supports it. */
const lacks = (list: unknown, value: string, sentence: string): string[] =>
  Array.isArray(list) && !list.includes(value) ? [sentence] : [];

async function inspectKeys(deps: ProviderCheckDeps, metadata: Metadata | null): Promise<ProviderFinding[]> {
  const name = 'Signing keys';
  const address = metadata?.['jwks_uri'];
  // Elsewhere is said already, and not visited.
  if (typeof address !== 'string' || originOf(address) !== new URL(deps.providerUrl).origin) return [];
  const expected = 'RSA keys with key ids, of 2048 bits or more';
  const answer = await visitJson(deps.fetch, address);
  if ('trouble' in answer)
    return [
      trouble(
        'failed',
        name,
        `${address}: ${answer.trouble}`,
        expected,
        'The server must reach this address; known keys keep working meanwhile.',
      ),
    ];
  const keys = (Array.isArray(answer.json['keys']) ? answer.json['keys'] : []) as Record<string, unknown>[];
  const usable = keys.filter(isSigningKey);
  if (usable.length === 0)
    return [
      trouble(
        'failed',
        name,
        keys.length === 0 ? 'no key at all' : `${keys.length} keys, none of them usable`,
        expected,
        'Upload a signing key of 2048 bits to the policies (B2C_1A_TokenSigningKeyContainer).',
      ),
    ];
  const ids = usable.map(({ kid }) => String(kid));
  const { accepted } = deps.seenTokens.last();
  if (accepted?.keyId && !ids.includes(accepted.keyId))
    return [
      trouble(
        'warning',
        name,
        `the key ${accepted.keyId} of a token of ${timeOf(accepted.at)} is no longer published`,
        expected,
        'After a change of keys this is right. Else keep the old key published until its tokens have ended.',
      ),
    ];
  return [
    ok(
      name,
      ids.length === 1 ? `one key: ${ids[0]}` : `${ids.length} keys: ${ids.slice(0, 5).join(', ')}`,
      expected,
    ),
  ];
}

function isSigningKey({ kty, kid, n, use, alg }: Record<string, unknown>): boolean {
  return (
    kty === 'RSA' &&
    typeof kid === 'string' &&
    (use === undefined || use === 'sig') &&
    (alg === undefined || alg === 'RS256') &&
    typeof n === 'string' &&
    Buffer.from(n, 'base64url').length >= 256
  );
}

function inspectClock({ now }: ProviderCheckDeps, headers: Headers): ProviderFinding {
  const name = 'Clock';
  const expected = 'less than 10 seconds apart';
  const theirs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(theirs))
    return trouble(
      'warning',
      name,
      'the sign-in service does not say what time it has',
      expected,
      'Compare the clock of this server with another one.',
    );
  const seconds = Math.round((now() - theirs) / 1000);
  const found = `this server is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead'}`;
  if (Math.abs(seconds) < 10) return ok(name, found, expected);
  return trouble(
    Math.abs(seconds) > 60 ? 'failed' : 'warning',
    name,
    found,
    expected,
    'Let this server take its time from the network (NTP). Beyond 60 seconds tokens and invitations are refused.',
  );
}
