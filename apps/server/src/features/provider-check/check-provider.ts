/** Checks the B2C provider: its address, policies, metadata, keys and clock. */
import {
  providerAdvice as advice,
  providerFacts as facts,
  providerTopics as topics,
  type ProviderFinding,
} from '@vestibule/contract/settings/provider-check';
import { createMessage } from '@vestibule/contract/texts/text';
import {
  createFindings,
  literalMessage,
  isoTimeOf,
  originOf,
  findRecentlyRefusedToken,
  type Metadata,
  type ProviderCheckDeps,
} from './provider-finding.ts';
import { probeJson } from './http-probe.ts';
import { valuesOf } from '../../platform/values-of.ts';

const policies = [
  { key: 'signInPolicy', variable: 'SIGN_IN_POLICY' },
  { key: 'signUpPolicy', variable: 'SIGN_UP_POLICY' },
  { key: 'resetPasswordPolicy', variable: 'RESET_PASSWORD_POLICY' },
] as const;

type PolicyProbe = {
  name: string;
  metadata: Metadata | null;
  headers?: Headers;
};

/** Returns all findings, and the metadata of the sign-in policy for further checks. */
export async function checkB2cProvider(
  deps: ProviderCheckDeps,
): Promise<{ findings: ProviderFinding[]; signIn: Metadata | null }> {
  const probes = await Promise.all(policies.map((policy) => probePolicy(deps, policy)));
  const signIn = probes[0]?.probe;
  return {
    signIn: signIn?.metadata ?? null,
    findings: [
      checkEncryption(deps),
      ...probes.map(({ finding }) => finding),
      checkPolicyNames(deps),
      ...checkMetadata(deps, valuesOf(probes, 'probe')),
      ...(await checkKeys(deps, signIn?.metadata ?? null)),
      ...(signIn?.headers ? [checkClock(deps, signIn.headers)] : []),
    ],
  };
}

function checkEncryption({ provider, isEmbedded }: ProviderCheckDeps): ProviderFinding {
  const topic = createMessage(topics.encryption);
  if (isEmbedded)
    return createFindings(topic, createMessage(facts.ownService)).warning(
      createMessage(facts.embedded),
      createMessage(advice.nameOwnService),
    );
  const encryption = createFindings(topic, literalMessage('https'));
  return new URL(provider.authBaseUrl).protocol === 'https:'
    ? encryption.ok()
    : encryption.failed(createMessage(facts.plainHttp), createMessage(advice.useHttps));
}

async function probePolicy(
  deps: ProviderCheckDeps,
  { key, variable }: (typeof policies)[number],
): Promise<{ probe: PolicyProbe; finding: ProviderFinding }> {
  const name = deps.provider[key];
  const topic = createMessage(topics[key]);
  const url = `${deps.provider.url}/${deps.provider.tenantName}.onmicrosoft.com/${name}/v2.0/.well-known/openid-configuration`;
  const answer = await probeJson(deps.fetch, url);
  const probe = { name, metadata: null };
  if ('error' in answer) {
    const metadataFinding = createFindings(topic, createMessage(facts.metadataAt, { address: url }));
    if (answer.status === undefined || answer.status < 400 || answer.status >= 500)
      return { probe, finding: metadataFinding.failed(answer.error, createMessage(advice.reachProvider)) };
    const unknown = createMessage(facts.unknownPolicy, { policy: name, tenant: deps.provider.tenantName });
    return {
      probe,
      finding: metadataFinding.failed(unknown, createMessage(advice.correctPolicy, { variable })),
    };
  }
  const { issuer, jwks_uri: keys, authorization_endpoint: authorize, token_endpoint: token } = answer.json;
  if ([issuer, keys, authorize, token].some((value) => typeof value !== 'string')) {
    const endpointsFinding = createFindings(
      topic,
      literalMessage('issuer, jwks_uri, authorization_endpoint, token_endpoint'),
    );
    return {
      probe,
      finding: endpointsFinding.failed(createMessage(facts.notMetadata), createMessage(advice.correctTenant)),
    };
  }
  return {
    probe: { name, metadata: answer.json, headers: answer.headers },
    finding: createFindings(topic, createMessage(facts.aPolicy, { policy: name })).ok(
      createMessage(facts.policyThere, { policy: name }),
    ),
  };
}

function checkPolicyNames({ provider }: ProviderCheckDeps): ProviderFinding {
  const names = createFindings(createMessage(topics.policyNames), createMessage(facts.threePolicies));
  const [signIn, signUp, reset] = policies.map(({ key }) => provider[key].toLowerCase());
  if (reset === signIn || reset === signUp)
    return names.failed(createMessage(facts.resetComesIn), createMessage(advice.nameResetPolicy));
  return signIn === signUp
    ? names.failed(createMessage(facts.openSignUp), createMessage(advice.nameSignUpPolicy))
    : names.ok();
}

type AvailablePolicy = PolicyProbe & { metadata: Metadata };

function checkMetadata(deps: ProviderCheckDeps, probes: PolicyProbe[]): ProviderFinding[] {
  const found = probes.filter((probe): probe is AvailablePolicy => probe.metadata !== null);
  if (found.length === 0) return [];
  return [checkIssuer(deps, found), checkEndpoints(deps, found), checkCapabilities(found)];
}

function checkIssuer(deps: ProviderCheckDeps, probes: AvailablePolicy[]): ProviderFinding {
  const issuerFinding = createFindings(createMessage(topics.issuer), createMessage(facts.oneIssuer));
  const issuers = [...new Set(probes.map(({ metadata }) => String(metadata['issuer'])))];
  const [issuer = ''] = issuers;
  if (issuers.length > 1) {
    const list = probes.map(({ name, metadata }) => `${name}: ${String(metadata['issuer'])}`).join('; ');
    return issuerFinding.failed(
      createMessage(facts.differentIssuers, { list }),
      createMessage(advice.unifyIssuer),
    );
  }
  const { refused, outcome } = findRecentlyRefusedToken(deps, 'iss');
  if (!refused) return issuerFinding.ok(literalMessage(issuer));
  const found = createMessage(facts.foreignIssuer, {
    issuer,
    time: isoTimeOf(refused),
    other: refused.issuer,
  });
  return issuerFinding.problem(outcome, found, createMessage(advice.alignIssuer));
}

function checkEndpoints(deps: ProviderCheckDeps, probes: AvailablePolicy[]): ProviderFinding {
  const topic = createMessage(topics.endpoints);
  const { origin } = new URL(deps.provider.url);
  const foreign = probes.flatMap(({ metadata }) =>
    ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'end_session_endpoint'].flatMap((key) => {
      const address = metadata[key];
      return typeof address === 'string' && originOf(address) !== origin ? [`${key}: ${address}`] : [];
    }),
  );
  if (foreign.length === 0) return createFindings(topic, createMessage(facts.allAt, { origin })).ok();
  const list = [...new Set(foreign)].slice(0, 4).join('; ');
  return createFindings(topic, createMessage(facts.allAtForBrowsers, { origin })).failed(
    createMessage(facts.elsewhere, { list }),
    createMessage(advice.alignDomain),
  );
}

/** Required entries of metadata lists (Discovery 1.0, section 3; RFC 8414 for PKCE). */
const requiredCapabilities = {
  response_types_supported: 'code',
  id_token_signing_alg_values_supported: 'RS256',
  code_challenge_methods_supported: 'S256',
};

function checkCapabilities(probes: AvailablePolicy[]): ProviderFinding {
  const all = createFindings(createMessage(topics.abilities), createMessage(facts.abilities));
  const missing = probes.flatMap(({ name, metadata }) =>
    Object.entries(requiredCapabilities).flatMap(([key, value]) => {
      const list = metadata[key];
      // Missing lists are not an error: B2C supports PKCE without listing it.
      return Array.isArray(list) && !list.includes(value) ? [`${name}: ${key}: ${value}`] : [];
    }),
  );
  return missing.length === 0
    ? all.ok(createMessage(facts.allAbilities))
    : all.failed(
        createMessage(facts.lacking, { list: missing.join('; ') }),
        createMessage(advice.correctRelyingParty),
      );
}

async function checkKeys(deps: ProviderCheckDeps, metadata: Metadata | null): Promise<ProviderFinding[]> {
  const address = metadata?.['jwks_uri'];
  // Keys at a foreign origin are reported by checkEndpoints and not requested.
  if (typeof address !== 'string' || originOf(address) !== new URL(deps.provider.url).origin) return [];
  const published = createFindings(createMessage(topics.keys), createMessage(facts.rsaKeys));
  const answer = await probeJson(deps.fetch, address);
  if ('error' in answer) return [published.failed(answer.error, createMessage(advice.reachKeys))];
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
    const found = createMessage(facts.unpublishedKey, { key: accepted.keyId, time: isoTimeOf(accepted) });
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

/** Compares the clocks by the header `Date`. */
export function checkClock(
  { now }: Pick<ProviderCheckDeps, 'now'>,
  headers: Headers,
  topic = createMessage(topics.clock),
): ProviderFinding {
  const clockFinding = createFindings(topic, createMessage(facts.closeTogether));
  const providerTime = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(providerTime))
    return clockFinding.warning(createMessage(facts.noTime), createMessage(advice.compareClock));
  const seconds = Math.round((now() - providerTime) / 1000);
  const difference = Math.abs(seconds);
  const found = createMessage(seconds < 0 ? facts.behind : facts.ahead, { seconds: difference });
  if (difference < 10) return clockFinding.ok(found);
  return clockFinding.problem(
    difference > 60 ? 'failed' : 'warning',
    found,
    createMessage(advice.networkTime),
  );
}
