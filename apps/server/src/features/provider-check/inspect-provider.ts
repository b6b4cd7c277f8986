/** The sign-in service itself: its address, policies, metadata, keys and clock. */
import {
  providerAdvice as advice,
  providerFacts as facts,
  providerTopics as topics,
  type ProviderFinding,
} from '@vestibule/contract/settings/provider-check';
import { say } from '@vestibule/contract/texts/text';
import {
  asIs,
  momentOf,
  ok,
  originOf,
  refusedLately,
  trouble,
  type Metadata,
  type ProviderCheckDeps,
} from './provider-finding.ts';
import { visitJson } from './provider-visit.ts';
import { pluck } from '../../platform/pluck.ts';

const policies = [
  { key: 'signInPolicy', variable: 'SIGN_IN_POLICY' },
  { key: 'signUpPolicy', variable: 'SIGN_UP_POLICY' },
  { key: 'resetPasswordPolicy', variable: 'RESET_PASSWORD_POLICY' },
] as const;

type PolicyVisit = {
  name: string;
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
      ...inspectMetadata(deps, pluck(visits, 'visit')),
      ...(await inspectKeys(deps, signIn?.metadata ?? null)),
      ...(signIn?.headers ? [inspectClock(deps, signIn.headers)] : []),
    ],
  };
}

function inspectEncryption({ provider, isEmbedded }: ProviderCheckDeps): ProviderFinding {
  const topic = topics.encryption;
  if (isEmbedded)
    return trouble('warning', topic, say(facts.embedded), say(facts.ownService), say(advice.nameOwnService));
  const { protocol } = new URL(provider.authBaseUrl);
  return protocol === 'https:'
    ? ok(topic, asIs('https'), asIs('https'))
    : trouble('failed', topic, say(facts.plainHttp), asIs('https'), say(advice.useHttps));
}

async function visitPolicy(
  deps: ProviderCheckDeps,
  { key, variable }: (typeof policies)[number],
): Promise<{ visit: PolicyVisit; finding: ProviderFinding }> {
  const name = deps.provider[key];
  const topic = topics[key];
  const url = `${deps.provider.url}/${deps.provider.tenantName}.onmicrosoft.com/${name}/v2.0/.well-known/openid-configuration`;
  const answer = await visitJson(deps.fetch, url);
  const none = { name, metadata: null };
  if ('trouble' in answer) {
    const unknown = answer.status !== undefined && answer.status >= 400 && answer.status < 500;
    return {
      visit: none,
      finding: trouble(
        'failed',
        topic,
        unknown
          ? say(facts.unknownPolicy, { policy: name, tenant: deps.provider.tenantName })
          : answer.trouble,
        say(facts.metadataAt, { address: url }),
        unknown ? say(advice.correctPolicy, { variable }) : say(advice.reachProvider),
      ),
    };
  }
  const { issuer, jwks_uri: keys, authorization_endpoint: authorize, token_endpoint: token } = answer.json;
  if ([issuer, keys, authorize, token].some((value) => typeof value !== 'string'))
    return {
      visit: none,
      finding: trouble(
        'failed',
        topic,
        say(facts.notMetadata),
        asIs('issuer, jwks_uri, authorization_endpoint, token_endpoint'),
        say(advice.correctTenant),
      ),
    };
  return {
    visit: { name, metadata: answer.json, headers: answer.headers },
    finding: ok(topic, say(facts.policyThere, { policy: name }), say(facts.aPolicy, { policy: name })),
  };
}

function inspectPolicyNames({ provider }: ProviderCheckDeps): ProviderFinding {
  const topic = topics.policyNames;
  const expected = say(facts.threePolicies);
  const [signIn, signUp, reset] = policies.map(({ key }) => provider[key].toLowerCase());
  if (reset === signIn || reset === signUp)
    return trouble('failed', topic, say(facts.resetComesIn), expected, say(advice.nameResetPolicy));
  return signIn === signUp
    ? trouble('failed', topic, say(facts.openSignUp), expected, say(advice.nameSignUpPolicy))
    : ok(topic, expected, expected);
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
  const topic = topics.issuer;
  const issuers = [...new Set(visits.map(({ metadata }) => String(metadata['issuer'])))];
  const [issuer = ''] = issuers;
  const expected = say(facts.oneIssuer);
  if (issuers.length > 1)
    return trouble(
      'failed',
      topic,
      say(facts.differentIssuers, {
        list: visits.map(({ name, metadata }) => `${name}: ${String(metadata['issuer'])}`).join('; '),
      }),
      expected,
      say(advice.unifyIssuer),
    );
  const { refused, outcome } = refusedLately(deps, 'iss');
  if (refused)
    return trouble(
      outcome,
      topic,
      say(facts.foreignIssuer, { issuer, time: momentOf(refused), other: refused.issuer }),
      expected,
      say(advice.alignIssuer),
    );
  return ok(topic, asIs(issuer), expected);
}

function inspectEndpoints(
  deps: ProviderCheckDeps,
  visits: (PolicyVisit & { metadata: Metadata })[],
): ProviderFinding {
  const topic = topics.endpoints;
  const { origin } = new URL(deps.provider.url);
  const foreign = visits.flatMap(({ metadata }) =>
    ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'end_session_endpoint'].flatMap((key) => {
      const address = metadata[key];
      return typeof address === 'string' && originOf(address) !== origin ? [`${key}: ${address}`] : [];
    }),
  );
  return foreign.length === 0
    ? ok(topic, say(facts.allAt, { origin }), say(facts.allAt, { origin }))
    : trouble(
        'failed',
        topic,
        say(facts.elsewhere, { list: [...new Set(foreign)].slice(0, 4).join('; ') }),
        say(facts.allAtForBrowsers, { origin }),
        say(advice.alignDomain),
      );
}

/** Lists in the metadata, and what has to stand in them (Discovery 1.0, section 3; RFC 8414 for PKCE). */
const abilities = {
  response_types_supported: 'code',
  id_token_signing_alg_values_supported: 'RS256',
  code_challenge_methods_supported: 'S256',
};

function inspectAbilities(visits: { name: string; metadata: Metadata }[]): ProviderFinding {
  const topic = topics.abilities;
  const expected = say(facts.abilities);
  const lacking = visits.flatMap(({ name, metadata }) =>
    Object.entries(abilities).flatMap(([key, value]) => {
      const list = metadata[key];
      // What a provider does not list is not judged: B2C lists no PKCE and supports it.
      return Array.isArray(list) && !list.includes(value) ? [`${name}: ${key}: ${value}`] : [];
    }),
  );
  return lacking.length === 0
    ? ok(topic, say(facts.allAbilities), expected)
    : trouble(
        'failed',
        topic,
        say(facts.lacking, { list: lacking.join('; ') }),
        expected,
        say(advice.correctRelyingParty),
      );
}

async function inspectKeys(deps: ProviderCheckDeps, metadata: Metadata | null): Promise<ProviderFinding[]> {
  const topic = topics.keys;
  const address = metadata?.['jwks_uri'];
  // Elsewhere is said already, and not visited.
  if (typeof address !== 'string' || originOf(address) !== new URL(deps.provider.url).origin) return [];
  const expected = say(facts.rsaKeys);
  const answer = await visitJson(deps.fetch, address);
  if ('trouble' in answer) return [trouble('failed', topic, answer.trouble, expected, say(advice.reachKeys))];
  const keys = (Array.isArray(answer.json['keys']) ? answer.json['keys'] : []) as Record<string, unknown>[];
  const usable = keys.filter(isSigningKey);
  if (usable.length === 0)
    return [
      trouble(
        'failed',
        topic,
        keys.length === 0 ? say(facts.noKeyAtAll) : say(facts.noKeyUsable, { count: keys.length }),
        expected,
        say(advice.uploadKey),
      ),
    ];
  const ids = usable.map(({ kid }) => String(kid));
  const { accepted } = deps.seenTokens.last();
  if (accepted?.keyId && !ids.includes(accepted.keyId))
    return [
      trouble(
        'warning',
        topic,
        say(facts.unpublishedKey, { key: accepted.keyId, time: momentOf(accepted) }),
        expected,
        say(advice.keepOldKey),
      ),
    ];
  return [
    ok(
      topic,
      ids.length === 1
        ? say(facts.oneKey, { key: String(ids[0]) })
        : say(facts.someKeys, { count: ids.length, list: ids.slice(0, 5).join(', ') }),
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

/** How far apart the clocks are, by the header `Date`. */
export function inspectClock({ now }: Pick<ProviderCheckDeps, 'now'>, headers: Headers): ProviderFinding {
  const topic = topics.clock;
  const expected = say(facts.closeTogether);
  const theirs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(theirs))
    return trouble('warning', topic, say(facts.noTime), expected, say(advice.compareClock));
  const seconds = Math.round((now() - theirs) / 1000);
  const apart = Math.abs(seconds);
  const found = say(seconds < 0 ? facts.behind : facts.ahead, { seconds: apart });
  if (apart < 10) return ok(topic, found, expected);
  return trouble(apart > 60 ? 'failed' : 'warning', topic, found, expected, say(advice.networkTime));
}
