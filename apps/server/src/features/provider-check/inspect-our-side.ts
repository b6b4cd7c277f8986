/** This side of the sign-in: the tokens that arrived here, and our metadata as the sign-in service reads it. */
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
  type ProviderCheckDeps,
} from './provider-finding.ts';
import { visitJson } from './provider-visit.ts';

export function inspectTokens(deps: ProviderCheckDeps): ProviderFinding[] {
  const audience = asIs(deps.provider.audience);
  const foreign = refusedLately(deps, 'aud');
  if (foreign.refused)
    return [
      trouble(
        foreign.outcome,
        topics.audience,
        say(facts.foreignToken, { time: momentOf(foreign.refused), audience: foreign.refused.audience }),
        audience,
        say(advice.correctAudience),
      ),
    ];
  const early = refusedLately(deps, 'nbf');
  if (early.refused)
    return [
      trouble(
        'warning',
        topics.tokenTimes,
        say(facts.earlyToken, { time: momentOf(early.refused) }),
        say(facts.timelyTokens),
        say(advice.compareClocks),
      ),
    ];
  const { accepted } = deps.seenTokens.last();
  if (!accepted)
    return [trouble('warning', topics.audience, say(facts.noToken), audience, say(advice.signInOnce))];
  const time = momentOf(accepted);
  const scopes = accepted.scopes.join(' ');
  return [
    ok(topics.audience, say(facts.token, { time, audience: accepted.audience, scopes }), audience),
    // Where it is there, nobody needs to hear of it.
    ...(accepted.tellsSignIn
      ? []
      : [
          trouble(
            'warning',
            topics.signInMoment,
            say(facts.noSignInMoment, { time }),
            say(facts.signInMoment),
            say(advice.tellSignInMoment),
          ),
        ]),
  ];
}

/** Our own metadata, as the provider reads it to check invitations. */
export async function inspectOurMetadata(deps: ProviderCheckDeps): Promise<ProviderFinding[]> {
  const { publicUrl, isEmbedded, inviteTokenIssuer } = deps;
  const topic = topics.ourMetadata;
  const url = `${publicUrl}/.well-known/openid-configuration`;
  const expected = say(facts.issuerAt, { issuer: inviteTokenIssuer, address: url });
  const findings: ProviderFinding[] = [];
  const { protocol, hostname } = new URL(publicUrl);
  const isPrivate =
    /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[)|\.(?:local|internal|lan)$/.test(
      hostname,
    );
  if (!isEmbedded && (isPrivate || protocol !== 'https:'))
    findings.push(
      trouble(
        'failed',
        topics.publicAddress,
        say(isPrivate ? facts.privateAddress : facts.plainAddress, { address: publicUrl }),
        say(facts.publicAddress),
        say(advice.setPublicUrl),
      ),
    );
  const answer = await visitJson(deps.fetch, url);
  if ('trouble' in answer)
    return [...findings, trouble('failed', topic, answer.trouble, expected, say(advice.passMetadata))];
  const { issuer, jwks_uri: keysUrl } = answer.json;
  if (
    issuer !== inviteTokenIssuer ||
    typeof keysUrl !== 'string' ||
    originOf(keysUrl) !== new URL(publicUrl).origin
  )
    return [
      ...findings,
      trouble(
        'failed',
        topic,
        say(facts.otherIssuer, { issuer: JSON.stringify(issuer ?? null).slice(0, 200) }),
        expected,
        say(advice.samePublicUrl),
      ),
    ];
  const keys = await visitJson(deps.fetch, keysUrl);
  const ids =
    'trouble' in keys || !Array.isArray(keys.json['keys'])
      ? null
      : (keys.json['keys'] as { kid?: unknown }[]).map(({ kid }) => kid);
  if (!ids)
    return [
      ...findings,
      trouble(
        'failed',
        topic,
        'trouble' in keys ? keys.trouble : say(facts.noKeysAt, { address: keysUrl }),
        say(facts.invitationKeys),
        say(advice.passKeys),
      ),
    ];
  const missing = (await deps.publishedKeyIds()).filter((id) => !ids.includes(id));
  return [
    ...findings,
    missing.length === 0
      ? ok(
          topic,
          ids.length === 1
            ? say(facts.ourKey, { issuer: inviteTokenIssuer })
            : say(facts.ourKeys, { issuer: inviteTokenIssuer, count: ids.length }),
          expected,
        )
      : trouble(
          'failed',
          topic,
          say(facts.otherKeys, { list: missing.join(', ') }),
          say(facts.invitationKeys),
          say(advice.sameSecret),
        ),
  ];
}
