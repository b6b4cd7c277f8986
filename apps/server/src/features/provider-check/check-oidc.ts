/** One OpenID Provider: its metadata, issuer, keys, clock and scopes, and whether it takes our credentials. Nobody has to sign in. */
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
import { acceptedForm } from '../../platform/identity/client-secret.ts';
import { discoverProvider } from '../../platform/identity/discover-provider.ts';
import { inspectClock } from './check-provider.ts';
import { about, asIs, type Metadata } from './provider-finding.ts';
import { visitJson, type Fetch } from './http-probe.ts';

type Deps = { publicUrl: string; fetch: Fetch; now: () => number };

/** All findings of one provider, in the order of a sign-in. */
export async function inspectOidc(provider: OidcProviderConfig, deps: Deps): Promise<ProviderFinding[]> {
  const prefix = `OIDC_${provider.id.toUpperCase()}`;
  const variable = `${prefix}_ISSUER`;
  const address = `${provider.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const judge = (topic: MessageDefinition<`{provider}: ${string}`>, expected: Message) =>
    about(createMessage(topic, { provider: provider.name }), expected);

  const inMetadata = judge(topics.oidcMetadata, createMessage(facts.metadataAt, { address }));
  const read = await visitJson(deps.fetch, address);
  if ('trouble' in read)
    return [inMetadata.failed(read.trouble, createMessage(advice.reachOidc, { variable }))];
  const { json: metadata, headers } = read;
  const issuer = typeof metadata['issuer'] === 'string' ? metadata['issuer'] : '';
  const isOurs = URL.canParse(issuer) && new URL(issuer).href === new URL(provider.issuer).href;
  const hasKeys = typeof metadata['jwks_uri'] === 'string' && URL.canParse(metadata['jwks_uri']);
  const itself = judge(topics.oidcIssuer, asIs(provider.issuer));
  const other = issuer || '?';
  // Before anything else is waited for, which would count as a difference.
  const clock = inspectClock(deps, headers, createMessage(topics.oidcClock, { provider: provider.name }));
  return [
    inMetadata.ok(),
    isOurs
      ? itself.ok(asIs(issuer))
      : itself.failed(asIs(other), createMessage(advice.takeIssuer, { variable, issuer: other })),
    await inspectKeys(metadata),
    clock,
    inspectScopes(metadata),
    // With another issuer, or without an address of keys, nothing of it is asked for.
    ...(isOurs && hasKeys ? [await inspectCredentials()] : []),
  ];

  async function inspectKeys(found: Metadata): Promise<ProviderFinding> {
    const signing = judge(topics.oidcKeys, createMessage(facts.signingKeys));
    const none = () => signing.failed(createMessage(facts.noKeyAtAll), createMessage(advice.publishKeys));
    const { jwks_uri: keysUrl } = found;
    if (typeof keysUrl !== 'string' || !URL.canParse(keysUrl)) return none();
    const answer = await visitJson(deps.fetch, keysUrl);
    if ('trouble' in answer) return signing.failed(answer.trouble, createMessage(advice.reachKeys));
    const keys = Array.isArray(answer.json['keys']) ? (answer.json['keys'] as Metadata[]) : [];
    const usable = keys.filter(
      ({ use, kty }) => use !== 'enc' && (kty === 'RSA' || kty === 'EC' || kty === 'OKP'),
    );
    if (usable.length === 0) return none();
    const list = usable.map(({ kid }) => (typeof kid === 'string' ? kid : '?')).join(', ');
    return signing.ok(createMessage(facts.someKeys, { count: usable.length, list }));
  }

  function inspectScopes(found: Metadata): ProviderFinding {
    const scopes = judge(topics.oidcScopes, asIs(provider.scopes));
    const offered = found['scopes_supported'];
    const lacking = Array.isArray(offered)
      ? provider.scopes.split(' ').filter((scope) => !offered.includes(scope))
      : [];
    return lacking.length === 0
      ? scopes.ok(createMessage(facts.allAbilities))
      : scopes.warning(
          createMessage(facts.lacking, { list: lacking.join(', ') }),
          createMessage(advice.correctOidcScopes, { variable: `${prefix}_SCOPES` }),
        );
  }

  /** A made-up code: whoever is known is told that it is not one of theirs (RFC 6749, section 5.2). */
  async function inspectCredentials(): Promise<ProviderFinding> {
    const taken = judge(
      topics.oidcCredentials,
      createMessage(facts.clientCalled, { client: provider.clientId }),
    );
    const mend = createMessage(advice.correctCredentials, { prefix });
    try {
      const configuration = await discoverProvider(provider);
      await openid.genericGrantRequest(configuration, 'authorization_code', {
        code: 'made-up-by-the-check-of-the-provider',
        code_verifier: openid.randomPKCECodeVerifier(),
        redirect_uri: deps.publicUrl + callbackPath(provider.id),
      });
      return taken.warning(createMessage(facts.unknownAnswer, { status: 200 }), mend);
    } catch (error) {
      const { status = 0, error: code } = error as { status?: number; error?: string };
      if (code === 'invalid_grant') return taken.ok(acceptedCredentials());
      if (status === 401 || code === 'invalid_client' || code === 'unauthorized_client')
        return taken.failed(createMessage(facts.notAccepted), mend);
      return taken.warning(createMessage(facts.unknownAnswer, { status }), mend);
    }
  }

  function acceptedCredentials(): Message {
    switch (acceptedForm(provider)) {
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
