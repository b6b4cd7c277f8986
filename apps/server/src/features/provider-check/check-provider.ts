/** The sign-in service itself: its address, policies, metadata, keys and clock. */
import {
  providerAdvice as advice,
  providerFacts as facts,
  providerTopics as topics,
  type ProviderFinding,
} from '@vestibule/contract/settings/provider-check';
import { createMessage } from '@vestibule/contract/texts/text';
import {
  about,
  asIs,
  momentOf,
  originOf,
  refusedLately,
  type Metadata,
  type ProviderCheckDeps,
} from './provider-finding.ts';
import { visitJson } from './http-probe.ts';
import { valuesOf } from '../../platform/values-of.ts';

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
      ...inspectMetadata(deps, valuesOf(visits, 'visit')),
      ...(await inspectKeys(deps, signIn?.metadata ?? null)),
      ...(signIn?.headers ? [inspectClock(deps, signIn.headers)] : []),
    ],
  };
}

function inspectEncryption({ provider, isEmbedded }: ProviderCheckDeps): ProviderFinding {
  const topic = createMessage(topics.encryption);
  if (isEmbedded)
    return about(topic, createMessage(facts.ownService)).warning(
      createMessage(facts.embedded),
      createMessage(advice.nameOwnService),
    );
  const encryption = about(topic, asIs('https'));
  return new URL(provider.authBaseUrl).protocol === 'https:'
    ? encryption.ok()
    : encryption.failed(createMessage(facts.plainHttp), createMessage(advice.useHttps));
}

async function visitPolicy(
  deps: ProviderCheckDeps,
  { key, variable }: (typeof policies)[number],
): Promise<{ visit: PolicyVisit; finding: ProviderFinding }> {
  const name = deps.provider[key];
  const topic = createMessage(topics[key]);
  const url = `${deps.provider.url}/${deps.provider.tenantName}.onmicrosoft.com/${name}/v2.0/.well-known/openid-configuration`;
  const answer = await visitJson(deps.fetch, url);
  const visit = { name, metadata: null };
  if ('trouble' in answer) {
    const there = about(topic, createMessage(facts.metadataAt, { address: url }));
    if (answer.status === undefined || answer.status < 400 || answer.status >= 500)
      return { visit, finding: there.failed(answer.trouble, createMessage(advice.reachProvider)) };
    const unknown = createMessage(facts.unknownPolicy, { policy: name, tenant: deps.provider.tenantName });
    return { visit, finding: there.failed(unknown, createMessage(advice.correctPolicy, { variable })) };
  }
  const { issuer, jwks_uri: keys, authorization_endpoint: authorize, token_endpoint: token } = answer.json;
  if ([issuer, keys, authorize, token].some((value) => typeof value !== 'string')) {
    const whole = about(topic, asIs('issuer, jwks_uri, authorization_endpoint, token_endpoint'));
    return {
      visit,
      finding: whole.failed(createMessage(facts.notMetadata), createMessage(advice.correctTenant)),
    };
  }
  return {
    visit: { name, metadata: answer.json, headers: answer.headers },
    finding: about(topic, createMessage(facts.aPolicy, { policy: name })).ok(
      createMessage(facts.policyThere, { policy: name }),
    ),
  };
}

function inspectPolicyNames({ provider }: ProviderCheckDeps): ProviderFinding {
  const names = about(createMessage(topics.policyNames), createMessage(facts.threePolicies));
  const [signIn, signUp, reset] = policies.map(({ key }) => provider[key].toLowerCase());
  if (reset === signIn || reset === signUp)
    return names.failed(createMessage(facts.resetComesIn), createMessage(advice.nameResetPolicy));
  return signIn === signUp
    ? names.failed(createMessage(facts.openSignUp), createMessage(advice.nameSignUpPolicy))
    : names.ok();
}

type FoundPolicy = PolicyVisit & { metadata: Metadata };

function inspectMetadata(deps: ProviderCheckDeps, visits: PolicyVisit[]): ProviderFinding[] {
  const found = visits.filter((visit): visit is FoundPolicy => visit.metadata !== null);
  if (found.length === 0) return [];
  return [inspectIssuer(deps, found), inspectEndpoints(deps, found), inspectAbilities(found)];
}

function inspectIssuer(deps: ProviderCheckDeps, visits: FoundPolicy[]): ProviderFinding {
  const one = about(createMessage(topics.issuer), createMessage(facts.oneIssuer));
  const issuers = [...new Set(visits.map(({ metadata }) => String(metadata['issuer'])))];
  const [issuer = ''] = issuers;
  if (issuers.length > 1) {
    const list = visits.map(({ name, metadata }) => `${name}: ${String(metadata['issuer'])}`).join('; ');
    return one.failed(createMessage(facts.differentIssuers, { list }), createMessage(advice.unifyIssuer));
  }
  const { refused, outcome } = refusedLately(deps, 'iss');
  if (!refused) return one.ok(asIs(issuer));
  const found = createMessage(facts.foreignIssuer, {
    issuer,
    time: momentOf(refused),
    other: refused.issuer,
  });
  return one.trouble(outcome, found, createMessage(advice.alignIssuer));
}

function inspectEndpoints(deps: ProviderCheckDeps, visits: FoundPolicy[]): ProviderFinding {
  const topic = createMessage(topics.endpoints);
  const { origin } = new URL(deps.provider.url);
  const foreign = visits.flatMap(({ metadata }) =>
    ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'end_session_endpoint'].flatMap((key) => {
      const address = metadata[key];
      return typeof address === 'string' && originOf(address) !== origin ? [`${key}: ${address}`] : [];
    }),
  );
  if (foreign.length === 0) return about(topic, createMessage(facts.allAt, { origin })).ok();
  const list = [...new Set(foreign)].slice(0, 4).join('; ');
  return about(topic, createMessage(facts.allAtForBrowsers, { origin })).failed(
    createMessage(facts.elsewhere, { list }),
    createMessage(advice.alignDomain),
  );
}

/** Lists in the metadata, and what has to stand in them (Discovery 1.0, section 3; RFC 8414 for PKCE). */
const abilities = {
  response_types_supported: 'code',
  id_token_signing_alg_values_supported: 'RS256',
  code_challenge_methods_supported: 'S256',
};

function inspectAbilities(visits: FoundPolicy[]): ProviderFinding {
  const all = about(createMessage(topics.abilities), createMessage(facts.abilities));
  const lacking = visits.flatMap(({ name, metadata }) =>
    Object.entries(abilities).flatMap(([key, value]) => {
      const list = metadata[key];
      // What a provider does not list is not judged: B2C lists no PKCE and supports it.
      return Array.isArray(list) && !list.includes(value) ? [`${name}: ${key}: ${value}`] : [];
    }),
  );
  return lacking.length === 0
    ? all.ok(createMessage(facts.allAbilities))
    : all.failed(
        createMessage(facts.lacking, { list: lacking.join('; ') }),
        createMessage(advice.correctRelyingParty),
      );
}

async function inspectKeys(deps: ProviderCheckDeps, metadata: Metadata | null): Promise<ProviderFinding[]> {
  const address = metadata?.['jwks_uri'];
  // Elsewhere is said already, and not visited.
  if (typeof address !== 'string' || originOf(address) !== new URL(deps.provider.url).origin) return [];
  const published = about(createMessage(topics.keys), createMessage(facts.rsaKeys));
  const answer = await visitJson(deps.fetch, address);
  if ('trouble' in answer) return [published.failed(answer.trouble, createMessage(advice.reachKeys))];
  const keys = (Array.isArray(answer.json['keys']) ? answer.json['keys'] : []) as Record<string, unknown>[];
  const usable = keys.filter(isSigningKey);
  if (usable.length === 0) {
    const found =
      keys.length === 0
        ? createMessage(facts.noKeyAtAll)
        : createMessage(facts.noKeyUsable, { count: keys.length });
    return [published.failed(found, createMessage(advice.uploadKey))];
  }
  const ids = usable.map(({ kid }) => String(kid));
  const { accepted } = deps.recentTokens.last();
  if (accepted?.keyId && !ids.includes(accepted.keyId)) {
    const found = createMessage(facts.unpublishedKey, { key: accepted.keyId, time: momentOf(accepted) });
    return [published.warning(found, createMessage(advice.keepOldKey))];
  }
  const found =
    ids.length === 1
      ? createMessage(facts.oneKey, { key: String(ids[0]) })
      : createMessage(facts.someKeys, { count: ids.length, list: ids.slice(0, 5).join(', ') });
  return [published.ok(found)];
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
export function inspectClock(
  { now }: Pick<ProviderCheckDeps, 'now'>,
  headers: Headers,
  topic = createMessage(topics.clock),
): ProviderFinding {
  const close = about(topic, createMessage(facts.closeTogether));
  const theirs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(theirs))
    return close.warning(createMessage(facts.noTime), createMessage(advice.compareClock));
  const seconds = Math.round((now() - theirs) / 1000);
  const apart = Math.abs(seconds);
  const found = createMessage(seconds < 0 ? facts.behind : facts.ahead, { seconds: apart });
  if (apart < 10) return close.ok(found);
  return close.trouble(apart > 60 ? 'failed' : 'warning', found, createMessage(advice.networkTime));
}
