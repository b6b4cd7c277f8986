/** Checks one OpenID Provider without a sign-in: metadata, issuer, keys, clock, scopes and client credentials. */
import {
  providerAdvice as advice,
  providerFacts as facts,
  providerTopics as topics,
  type ProviderFinding,
} from '@vestibule/contract/settings/provider-check';
import { callbackPath } from '@vestibule/contract/sign-in';
import { createMessage, type Message, type MessageDefinition } from '@vestibule/contract/texts/text';
import * as openid from 'openid-client';
import type { OidcProviderConfig } from '../../platform/config/oidc-providers.ts';
import { acceptedSecretForm } from '../../platform/identity/client-secret.ts';
import { discoverProvider } from '../../platform/identity/discover-provider.ts';
import { checkClock } from './check-provider.ts';
import { createFindings, literalMessage, type Metadata } from './provider-finding.ts';
import { probeJson, type Fetch } from './http-probe.ts';

type Deps = { publicUrl: string; fetch: Fetch; now: () => number };

/** Returns the findings of one provider, in the order of a sign-in. */
export async function checkOidcProvider(
  provider: OidcProviderConfig,
  deps: Deps,
): Promise<ProviderFinding[]> {
  const prefix = `OIDC_${provider.id.toUpperCase()}`;
  const variable = `${prefix}_ISSUER`;
  const address = `${provider.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const findingAbout = (topic: MessageDefinition<`{provider}: ${string}`>, expected: Message) =>
    createFindings(createMessage(topic, { provider: provider.name }), expected);

  const metadataFinding = findingAbout(topics.oidcMetadata, createMessage(facts.metadataAt, { address }));
  const response = await probeJson(deps.fetch, address);
  if ('error' in response)
    return [metadataFinding.failed(response.error, createMessage(advice.reachOidc, { variable }))];
  const { json: metadata, headers } = response;
  const issuer = typeof metadata['issuer'] === 'string' ? metadata['issuer'] : '';
  const isExpectedIssuer = URL.canParse(issuer) && new URL(issuer).href === new URL(provider.issuer).href;
  const hasKeys = typeof metadata['jwks_uri'] === 'string' && URL.canParse(metadata['jwks_uri']);
  const issuerFinding = findingAbout(topics.oidcIssuer, literalMessage(provider.issuer));
  const other = issuer || '?';
  // Compared before further requests, whose duration would count as a difference.
  const clock = checkClock(deps, headers, createMessage(topics.oidcClock, { provider: provider.name }));
  return [
    metadataFinding.ok(),
    isExpectedIssuer
      ? issuerFinding.ok(literalMessage(issuer))
      : issuerFinding.failed(
          literalMessage(other),
          createMessage(advice.takeIssuer, { variable, issuer: other }),
        ),
    await checkKeys(metadata),
    clock,
    checkScopes(metadata),
    // Credentials are never sent to an unexpected issuer.
    ...(isExpectedIssuer && hasKeys ? [await checkCredentials()] : []),
  ];

  async function checkKeys(found: Metadata): Promise<ProviderFinding> {
    const signing = findingAbout(topics.oidcKeys, createMessage(facts.signingKeys));
    const none = () => signing.failed(createMessage(facts.noKeyAtAll), createMessage(advice.publishKeys));
    const { jwks_uri: keysUrl } = found;
    if (typeof keysUrl !== 'string' || !URL.canParse(keysUrl)) return none();
    const answer = await probeJson(deps.fetch, keysUrl);
    if ('error' in answer) return signing.failed(answer.error, createMessage(advice.reachKeys));
    const keys = Array.isArray(answer.json['keys']) ? (answer.json['keys'] as Metadata[]) : [];
    const usable = keys.filter(
      ({ use, kty }) => use !== 'enc' && (kty === 'RSA' || kty === 'EC' || kty === 'OKP'),
    );
    if (usable.length === 0) return none();
    const list = usable.map(({ kid }) => (typeof kid === 'string' ? kid : '?')).join(', ');
    return signing.ok(createMessage(facts.someKeys, { count: usable.length, list }));
  }

  function checkScopes(found: Metadata): ProviderFinding {
    const scopes = findingAbout(topics.oidcScopes, literalMessage(provider.scopes));
    const offered = found['scopes_supported'];
    const missing = Array.isArray(offered)
      ? provider.scopes.split(' ').filter((scope) => !offered.includes(scope))
      : [];
    return missing.length === 0
      ? scopes.ok(createMessage(facts.allAbilities))
      : scopes.warning(
          createMessage(facts.lacking, { list: missing.join(', ') }),
          createMessage(advice.correctOidcScopes, { variable: `${prefix}_SCOPES` }),
        );
  }

  /**
   * Redeems a fake code: a provider that accepts the credentials responds with invalid_grant (RFC 6749, section 5.2).
   */
  async function checkCredentials(): Promise<ProviderFinding> {
    const credentialsFinding = findingAbout(
      topics.oidcCredentials,
      createMessage(facts.clientCalled, { client: provider.clientId }),
    );
    const advised = createMessage(advice.correctCredentials, { prefix });
    try {
      const configuration = await discoverProvider(provider);
      await openid.genericGrantRequest(configuration, 'authorization_code', {
        code: 'made-up-by-the-check-of-the-provider',
        code_verifier: openid.randomPKCECodeVerifier(),
        redirect_uri: deps.publicUrl + callbackPath(provider.id),
      });
      return credentialsFinding.warning(createMessage(facts.unknownAnswer, { status: 200 }), advised);
    } catch (error) {
      const { status = 0, error: code } = error as { status?: number; error?: string };
      if (code === 'invalid_grant') return credentialsFinding.ok(acceptedCredentials());
      if (status === 401 || code === 'invalid_client' || code === 'unauthorized_client')
        return credentialsFinding.failed(createMessage(facts.notAccepted), advised);
      return credentialsFinding.warning(createMessage(facts.unknownAnswer, { status }), advised);
    }
  }

  function acceptedCredentials(): Message {
    switch (acceptedSecretForm(provider)) {
      case 'basic':
        return createMessage(facts.secretTaken, { method: 'client_secret_basic' });
      case 'post':
        return createMessage(facts.secretTaken, { method: 'client_secret_post' });
      case 'unencoded basic':
        return createMessage(facts.secretTakenUnencoded, { method: 'client_secret_basic' });
      case null:
        return createMessage(facts.credentialsTaken);
    }
  }
}
