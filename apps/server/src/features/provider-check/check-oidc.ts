/** Checks one OpenID Provider without a sign-in: metadata, issuer, keys, clock and client credentials. */
import {
  providerAdvice as adviceTexts,
  providerFacts as facts,
  providerTopics as topics,
  type ProviderFinding,
} from '@vestibule/contract/settings/provider-check';
import { callbackPath } from '@vestibule/contract/sign-in';
import { createMessage, type Message, type MessageDefinition } from '@vestibule/contract/texts/text';
import * as openid from 'openid-client';
import {
  isSameIssuer,
  metadataAddressOf,
  type OidcProviderConfig,
} from '../../platform/config/oidc-providers.ts';
import { acceptedSecretForm } from '../../platform/identity/client-secret.ts';
import { discoverProvider } from '../../platform/identity/discover-provider.ts';
import { checkClock, checkKeys, createFinding, literalMessage, probeJson } from './probe.ts';

/** Corrections that depend on where the provider is configured. */
type ProviderAdvice = {
  reach: () => Message;
  takeIssuer: (issuer: string) => Message;
  correctCredentials: () => Message;
};

function adviceAboutVariables({ id }: OidcProviderConfig): ProviderAdvice {
  const prefix = `OIDC_${id.toUpperCase()}`;
  const variable = `${prefix}_ISSUER`;
  return {
    reach: () => createMessage(adviceTexts.reachOidc, { variable }),
    takeIssuer: (issuer) => createMessage(adviceTexts.takeIssuer, { variable, issuer }),
    correctCredentials: () => createMessage(adviceTexts.correctCredentials, { prefix }),
  };
}

/** Returns the findings of one provider, in the order of a sign-in. */
export async function checkOidcProvider(
  provider: OidcProviderConfig,
  deps: { publicUrl: string; now: () => number },
  advice: ProviderAdvice = adviceAboutVariables(provider),
): Promise<ProviderFinding[]> {
  const address = metadataAddressOf(provider.issuer);
  const topic = (definition: MessageDefinition<`{provider}: ${string}`>) =>
    createMessage(definition, { provider: provider.name });

  const metadata = createFinding(topic(topics.oidcMetadata), createMessage(facts.metadataAt, { address }));
  const response = await probeJson(address, provider.fetch);
  if ('error' in response) return [metadata('failed', response.error, advice.reach())];
  const { issuer = '?', jwks_uri: keysUrl } = response.json;
  const name = String(issuer);
  const isExpected = isSameIssuer(name, provider.issuer);
  const issuerFinding = createFinding(topic(topics.oidcIssuer), literalMessage(provider.issuer));
  // Compared before further requests, whose duration would count as a difference.
  const clock = checkClock(topic(topics.oidcClock), response.headers, deps.now());
  return [
    metadata('ok'),
    isExpected
      ? issuerFinding('ok', literalMessage(name))
      : issuerFinding('failed', literalMessage(name), advice.takeIssuer(name)),
    await checkKeys(topic(topics.oidcKeys), {
      address: keysUrl,
      types: ['RSA', 'EC', 'OKP'],
      remedy: createMessage(adviceTexts.publishKeys),
      fetch: provider.fetch,
    }),
    ...clock,
    // Credentials are never sent to an unexpected issuer.
    ...(isExpected && keysUrl !== undefined ? [await checkCredentials()] : []),
  ];

  /** Redeems a fake code: a provider that accepts the credentials responds with invalid_grant (RFC 6749, section 5.2). */
  async function checkCredentials(): Promise<ProviderFinding> {
    const client = createMessage(facts.clientCalled, { client: provider.clientId });
    const credentials = createFinding(topic(topics.oidcCredentials), client);
    const remedy = advice.correctCredentials();
    try {
      await openid.genericGrantRequest(await discoverProvider(provider), 'authorization_code', {
        code: 'made-up-by-the-check-of-the-provider',
        code_verifier: openid.randomPKCECodeVerifier(),
        redirect_uri: deps.publicUrl + callbackPath(provider.id),
      });
      return credentials('warning', createMessage(facts.unknownAnswer, { status: 200 }), remedy);
    } catch (error) {
      const { status = 0, error: code } = error as { status?: number; error?: string };
      if (code === 'invalid_grant') return credentials('ok', acceptedCredentials());
      if (status === 401 || code === 'invalid_client' || code === 'unauthorized_client')
        return credentials('failed', createMessage(facts.notAccepted), remedy);
      return credentials('warning', createMessage(facts.unknownAnswer, { status }), remedy);
    }
  }

  function acceptedCredentials() {
    const form = acceptedSecretForm(provider);
    if (form === null) return createMessage(facts.credentialsTaken);
    if (form === 'unencoded basic')
      return createMessage(facts.secretTakenUnencoded, { method: 'client_secret_basic' });
    return createMessage(facts.secretTaken, { method: `client_secret_${form}` });
  }
}
