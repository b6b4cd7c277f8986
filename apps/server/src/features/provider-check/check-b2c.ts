/** Checks the B2C provider, and the metadata of this site that the provider reads. */
import { cutText } from '@vestibule/contract/rules/cut-text';
import {
  providerAdvice as advice,
  providerFacts as facts,
  providerTopics as topics,
  type ProviderFinding,
} from '@vestibule/contract/settings/provider-check';
import { createMessage } from '@vestibule/contract/texts/text';
import type { ProviderConfig } from '../../platform/config/read-config.ts';
import {
  checkClock,
  checkKeys,
  createFinding,
  literalMessage,
  probe,
  probeJson,
  type Metadata,
} from './probe.ts';
import type { RecentTokens } from './recent-tokens.ts';

export type B2cCheckDeps = {
  provider: ProviderConfig;
  publicUrl: string;
  /** Expected issuer in the metadata of this site. */
  inviteTokenIssuer: string;
  publishedKeyIds: () => Promise<string[]>;
  recentTokens: RecentTokens;
  now: () => number;
};

const policies = [
  { key: 'signInPolicy', variable: 'SIGN_IN_POLICY' },
  { key: 'signUpPolicy', variable: 'SIGN_UP_POLICY' },
  { key: 'resetPasswordPolicy', variable: 'RESET_PASSWORD_POLICY' },
] as const;

type PolicyMetadata = { name: string; metadata: Metadata; headers: Headers };

/** The redirect address to register, exactly. */
export const pageAddress = (publicUrl: string): string => `${publicUrl}/`;

/** Returns all findings, in the order of a sign-in, within 10 seconds. */
export async function checkB2cProvider(deps: B2cCheckDeps): Promise<ProviderFinding[]> {
  const site = checkSite(deps);
  const [signIn, signUp, reset] = await Promise.all([
    readPolicy(deps, policies[0]),
    readPolicy(deps, policies[1]),
    readPolicy(deps, policies[2]),
  ]);
  const found = [signIn, signUp, reset].flatMap(({ policy }) => policy ?? []);
  const clock = signIn.policy
    ? checkClock(createMessage(topics.clock), signIn.policy.headers, deps.now())
    : [];
  const endpoints = checkEndpoints(deps, found);
  const reachable = endpoints.outcome === 'ok' ? signIn.policy?.metadata : undefined;
  return [
    signIn.finding,
    signUp.finding,
    reset.finding,
    checkPolicyNames(deps),
    ...(found.length > 0 ? [checkIssuer(deps, found), endpoints] : []),
    // Keys and addresses at a foreign origin are not requested.
    ...(reachable ? [await checkSigningKeys(reachable)] : []),
    ...clock,
    ...(reachable ? await checkRegistration(deps, reachable) : []),
    checkAudience(deps),
    await site,
  ];
}

async function readPolicy(
  { provider }: B2cCheckDeps,
  { key, variable }: (typeof policies)[number],
): Promise<{ finding: ProviderFinding; policy?: PolicyMetadata }> {
  const name = provider[key];
  const address = `${provider.url}/${provider.tenantName}.onmicrosoft.com/${name}/v2.0/.well-known/openid-configuration`;
  const finding = createFinding(createMessage(topics[key]), createMessage(facts.metadataAt, { address }));
  const response = await probeJson(address);
  if ('error' in response) {
    if (response.status === undefined || response.status < 400 || response.status >= 500)
      return { finding: finding('failed', response.error, createMessage(advice.reachProvider)) };
    const unknown = createMessage(facts.unknownPolicy, { policy: name, tenant: provider.tenantName });
    return { finding: finding('failed', unknown, createMessage(advice.correctPolicy, { variable })) };
  }
  const { json: metadata, headers } = response;
  const required = ['issuer', 'jwks_uri', 'authorization_endpoint', 'token_endpoint'];
  if (required.some((entry) => typeof metadata[entry] !== 'string'))
    return {
      finding: finding('failed', createMessage(facts.notMetadata), createMessage(advice.correctTenant)),
    };
  return {
    finding: finding('ok', createMessage(facts.policyThere, { policy: name })),
    policy: { name, metadata, headers },
  };
}

function checkPolicyNames({ provider }: B2cCheckDeps): ProviderFinding {
  const finding = createFinding(createMessage(topics.policyNames), createMessage(facts.threePolicies));
  const [signIn, signUp, reset] = policies.map(({ key }) => provider[key].toLowerCase());
  if (reset === signIn || reset === signUp)
    return finding('failed', createMessage(facts.resetComesIn), createMessage(advice.nameResetPolicy));
  return signIn === signUp
    ? finding('failed', createMessage(facts.openSignUp), createMessage(advice.nameSignUpPolicy))
    : finding('ok');
}

function checkIssuer(deps: B2cCheckDeps, found: PolicyMetadata[]): ProviderFinding {
  const finding = createFinding(createMessage(topics.issuer), createMessage(facts.oneIssuer));
  const issuers = found.map(({ metadata }) => String(metadata['issuer']));
  const [issuer = ''] = issuers;
  if (new Set(issuers).size > 1) {
    const list = found.map(({ name }, index) => `${name}: ${issuers[index]}`).join('; ');
    return finding(
      'failed',
      createMessage(facts.differentIssuers, { list }),
      createMessage(advice.unifyIssuer),
    );
  }
  const refused = deps.recentTokens.refusedBecauseOf('iss');
  return refused
    ? finding(
        refused.outcome,
        createMessage(facts.foreignIssuer, { issuer, time: refused.time, other: refused.issuer }),
        createMessage(advice.alignIssuer),
      )
    : finding('ok', literalMessage(issuer));
}

function checkEndpoints({ provider }: B2cCheckDeps, found: PolicyMetadata[]): ProviderFinding {
  const { origin } = new URL(provider.url);
  const finding = createFinding(
    createMessage(topics.endpoints),
    createMessage(facts.allAtForBrowsers, { origin }),
  );
  const foreign = found.flatMap(({ metadata }) =>
    ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'end_session_endpoint'].flatMap((key) => {
      const address = metadata[key];
      return typeof address === 'string' && originOf(address) !== origin ? [`${key}: ${address}`] : [];
    }),
  );
  if (foreign.length === 0) return finding('ok', createMessage(facts.allAt, { origin }));
  const list = [...new Set(foreign)].slice(0, 4).join('; ');
  return finding('failed', createMessage(facts.elsewhere, { list }), createMessage(advice.alignDomain));
}

const checkSigningKeys = ({ jwks_uri: address }: Metadata) =>
  checkKeys(createMessage(topics.keys), {
    address,
    types: ['RSA'],
    remedy: createMessage(advice.uploadKey),
  });

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

/** Checks the client registration by sending an authorization request. */
async function checkRegistration(
  { provider, publicUrl }: B2cCheckDeps,
  metadata: Metadata,
): Promise<ProviderFinding[]> {
  const redirect = pageAddress(publicUrl);
  const url = new URL(String(metadata['authorization_endpoint']));
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
  const registered = createMessage(facts.registered, { address: redirect });
  const redirectFinding = createFinding(createMessage(topics.redirect), registered);
  const compare = createMessage(advice.compareRegistration, { address: redirect });
  const response = await probe(url.href);
  if ('error' in response) return [redirectFinding('warning', response.error, compare)];
  const location = response.headers.get('location') ?? '';
  const isAccepted = location.startsWith(redirect);
  const reply = isAccepted ? [...new URL(location).searchParams.values()].join(' ') : response.text;
  const cause = codes.find(({ pattern }) => pattern.test(reply))?.cause;
  const error = /(?:AADB2C|AADSTS)\d+:?[^<\r\n"]{0,200}/.exec(reply)?.[0].trim();
  const refusal = error ? literalMessage(error) : createMessage(facts.notAccepted);
  const client = createFinding(
    createMessage(topics.client),
    createMessage(facts.clientCalled, { client: provider.clientId }),
  );
  const scopes = createFinding(createMessage(topics.scopes), literalMessage(provider.apiScopes.join(' ')));
  if (cause === 'client') return [client('failed', refusal, createMessage(advice.correctClient))];
  if (cause === 'redirect') {
    const remedy = createMessage(advice.register, { address: redirect });
    return [client('ok'), redirectFinding('failed', refusal, remedy)];
  }
  if (cause === 'scope')
    return [
      client('ok'),
      redirectFinding('ok'),
      scopes('failed', refusal, createMessage(advice.correctScopes)),
    ];
  if (isAccepted && (cause === 'silent' || new URL(location).searchParams.has('code')))
    return [client('ok'), redirectFinding('ok'), scopes('ok')];
  const unknown = createMessage(facts.unknownAnswer, { status: response.status });
  return [redirectFinding('warning', error ? refusal : unknown, compare)];
}

function checkAudience({ provider, recentTokens }: B2cCheckDeps): ProviderFinding {
  const finding = createFinding(createMessage(topics.audience), literalMessage(provider.audience));
  const refused = recentTokens.refusedBecauseOf('aud');
  if (refused)
    return finding(
      refused.outcome,
      createMessage(facts.foreignToken, { time: refused.time, audience: refused.audience }),
      createMessage(advice.correctAudience),
    );
  const accepted = recentTokens.accepted();
  if (!accepted) return finding('warning', createMessage(facts.noToken), createMessage(advice.signInOnce));
  const { time, audience } = accepted;
  return finding('ok', createMessage(facts.token, { time, audience }));
}

/** Requests the metadata of this site as the provider does to verify invitations. */
async function checkSite(deps: B2cCheckDeps): Promise<ProviderFinding> {
  const { publicUrl, inviteTokenIssuer: issuer } = deps;
  const address = `${publicUrl}/.well-known/openid-configuration`;
  const finding = createFinding(
    createMessage(topics.ourMetadata),
    createMessage(facts.issuerAt, { issuer, address }),
  );
  const response = await probeJson(address);
  if ('error' in response) return finding('failed', response.error, createMessage(advice.passMetadata));
  const { issuer: other = null, jwks_uri: keysUrl } = response.json;
  if (other !== issuer || originOf(String(keysUrl)) !== new URL(publicUrl).origin) {
    const received = createMessage(facts.otherIssuer, { issuer: cutText(JSON.stringify(other), 200) });
    return finding('failed', received, createMessage(advice.samePublicUrl));
  }
  const keys = await probeJson(String(keysUrl));
  if ('error' in keys) return finding('failed', keys.error, createMessage(advice.passMetadata));
  const published = JSON.stringify(keys.json);
  const missing = (await deps.publishedKeyIds()).filter((id) => !published.includes(`"${id}"`));
  if (missing.length === 0) return finding('ok');
  const list = missing.join(', ');
  return finding('failed', createMessage(facts.otherKeys, { list }), createMessage(advice.sameSecret));
}

/** Returns null for an invalid URL. */
const originOf = (address: string): string | null => (URL.canParse(address) ? new URL(address).origin : null);
