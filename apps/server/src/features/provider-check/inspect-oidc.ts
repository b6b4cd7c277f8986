/** One OpenID Provider: its metadata, issuer, keys, clock and scopes, and whether it takes our credentials. Nobody has to sign in. */
import {
  providerAdvice as advice,
  providerFacts as facts,
  providerTopics as topics,
  type ProviderFinding,
} from '@vestibule/contract/settings/provider-check';
import { callbackPath } from '@vestibule/contract/sign-in';
import { say, type Text, type TextDefinition } from '@vestibule/contract/texts/text';
import * as openid from 'openid-client';
import type { OidcProviderConfig } from '../../platform/config/oidc-providers.ts';
import { discoverProvider } from '../../platform/identity/discover-provider.ts';
import { inspectClock } from './inspect-provider.ts';
import { asIs, type Metadata } from './provider-finding.ts';
import { visitJson, type Fetch } from './provider-visit.ts';

type Deps = { publicUrl: string; fetch: Fetch; now: () => number };
type Topic = TextDefinition<`{provider}: ${string}`>;

/** All findings of one provider, in the order of a sign-in. */
export async function inspectOidc(provider: OidcProviderConfig, deps: Deps): Promise<ProviderFinding[]> {
  const variable = `OIDC_${provider.id.toUpperCase()}_ISSUER`;
  const address = `${provider.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const judge = (
    topic: Topic,
    outcome: ProviderFinding['outcome'],
    found: Text,
    expected: Text,
    mend: Text | null = null,
  ): ProviderFinding => ({ topic: say(topic, { provider: provider.name }), outcome, found, expected, mend });

  const expected = say(facts.metadataAt, { address });
  const read = await visitJson(deps.fetch, address);
  if ('trouble' in read)
    return [
      judge(topics.oidcMetadata, 'failed', read.trouble, expected, say(advice.reachOidc, { variable })),
    ];
  const { json: metadata, headers } = read;
  const issuer = typeof metadata['issuer'] === 'string' ? metadata['issuer'] : '';
  const isOurs = URL.canParse(issuer) && new URL(issuer).href === new URL(provider.issuer).href;
  const hasKeys = typeof metadata['jwks_uri'] === 'string' && URL.canParse(metadata['jwks_uri']);
  const clock = inspectClock(deps, headers);
  return [
    judge(topics.oidcMetadata, 'ok', expected, expected),
    isOurs
      ? judge(topics.oidcIssuer, 'ok', asIs(issuer), asIs(provider.issuer))
      : judge(
          topics.oidcIssuer,
          'failed',
          asIs(issuer || '?'),
          asIs(provider.issuer),
          say(advice.takeIssuer, { variable, issuer: issuer || '?' }),
        ),
    await inspectKeys(metadata),
    { ...clock, topic: say(topics.oidcClock, { provider: provider.name }) },
    inspectScopes(metadata),
    // With another issuer, or without an address of keys, nothing of it is asked for.
    ...(isOurs && hasKeys ? [await inspectCredentials()] : []),
  ];

  async function inspectKeys(found: Metadata): Promise<ProviderFinding> {
    const wanted = say(facts.signingKeys);
    const { jwks_uri: keysUrl } = found;
    if (typeof keysUrl !== 'string' || !URL.canParse(keysUrl))
      return judge(topics.oidcKeys, 'failed', say(facts.noKeyAtAll), wanted, say(advice.publishKeys));
    const answer = await visitJson(deps.fetch, keysUrl);
    if ('trouble' in answer)
      return judge(topics.oidcKeys, 'failed', answer.trouble, wanted, say(advice.reachKeys));
    const keys = Array.isArray(answer.json['keys']) ? (answer.json['keys'] as Metadata[]) : [];
    const usable = keys.filter(
      ({ use, kty }) => use !== 'enc' && (kty === 'RSA' || kty === 'EC' || kty === 'OKP'),
    );
    if (usable.length === 0)
      return judge(topics.oidcKeys, 'failed', say(facts.noKeyAtAll), wanted, say(advice.publishKeys));
    const list = usable.map(({ kid }) => (typeof kid === 'string' ? kid : '?')).join(', ');
    return judge(topics.oidcKeys, 'ok', say(facts.someKeys, { count: usable.length, list }), wanted);
  }

  function inspectScopes(found: Metadata): ProviderFinding {
    const wanted = asIs(provider.scopes);
    const offered = found['scopes_supported'];
    const lacking = Array.isArray(offered)
      ? provider.scopes.split(' ').filter((scope) => !offered.includes(scope))
      : [];
    return lacking.length === 0
      ? judge(topics.oidcScopes, 'ok', say(facts.allAbilities), wanted)
      : judge(
          topics.oidcScopes,
          'warning',
          say(facts.lacking, { list: lacking.join(', ') }),
          wanted,
          say(advice.correctOidcScopes, { variable: `OIDC_${provider.id.toUpperCase()}_SCOPES` }),
        );
  }

  /** A made-up code: whoever is known is told that it is not one of theirs (RFC 6749, section 5.2). */
  async function inspectCredentials(): Promise<ProviderFinding> {
    const wanted = say(facts.clientCalled, { client: provider.clientId });
    const mend = say(advice.correctCredentials, { prefix: `OIDC_${provider.id.toUpperCase()}` });
    try {
      const configuration = await discoverProvider(provider);
      await openid.genericGrantRequest(configuration, 'authorization_code', {
        code: 'made-up-by-the-check-of-the-provider',
        code_verifier: openid.randomPKCECodeVerifier(),
        redirect_uri: deps.publicUrl + callbackPath(provider.id),
      });
      return judge(
        topics.oidcCredentials,
        'warning',
        say(facts.unknownAnswer, { status: 200 }),
        wanted,
        mend,
      );
    } catch (error) {
      const { status, error: code } = error as { status?: number; error?: string };
      if (code === 'invalid_grant')
        return judge(topics.oidcCredentials, 'ok', say(facts.credentialsTaken), wanted);
      if (status === 401 || code === 'invalid_client' || code === 'unauthorized_client')
        return judge(topics.oidcCredentials, 'failed', say(facts.notAccepted), wanted, mend);
      return judge(
        topics.oidcCredentials,
        'warning',
        say(facts.unknownAnswer, { status: status ?? 0 }),
        wanted,
        mend,
      );
    }
  }
}
