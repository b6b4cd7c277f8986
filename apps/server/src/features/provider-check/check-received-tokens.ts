/** This side of the sign-in: the tokens that arrived here, and our metadata as the sign-in service reads it. */
import { cutText } from '@vestibule/contract/rules/cut-text';
import {
  providerAdvice as advice,
  providerFacts as facts,
  providerTopics as topics,
  type ProviderFinding,
} from '@vestibule/contract/settings/provider-check';
import { say } from '@vestibule/contract/texts/text';
import { pluck } from '../../platform/values-of.ts';
import {
  about,
  asIs,
  momentOf,
  originOf,
  refusedLately,
  type ProviderCheckDeps,
} from './provider-finding.ts';
import { visitJson } from './http-probe.ts';

export function inspectTokens(deps: ProviderCheckDeps): ProviderFinding[] {
  const audience = about(say(topics.audience), asIs(deps.provider.audience));
  const foreign = refusedLately(deps, 'aud');
  if (foreign.refused) {
    const found = { time: momentOf(foreign.refused), audience: foreign.refused.audience };
    return [audience.trouble(foreign.outcome, say(facts.foreignToken, found), say(advice.correctAudience))];
  }
  const early = refusedLately(deps, 'nbf').refused;
  if (early) {
    const times = about(say(topics.tokenTimes), say(facts.timelyTokens));
    return [times.warning(say(facts.earlyToken, { time: momentOf(early) }), say(advice.compareClocks))];
  }
  const { accepted } = deps.seenTokens.last();
  if (!accepted) return [audience.warning(say(facts.noToken), say(advice.signInOnce))];
  const time = momentOf(accepted);
  const scopes = accepted.scopes.join(' ');
  const findings = [audience.ok(say(facts.token, { time, audience: accepted.audience, scopes }))];
  // Where it is there, nobody needs to hear of it.
  if (!accepted.tellsSignIn) {
    const moment = about(say(topics.signInMoment), say(facts.signInMoment));
    findings.push(moment.warning(say(facts.noSignInMoment, { time }), say(advice.tellSignInMoment)));
  }
  return findings;
}

/** Our own metadata, as the provider reads it to check invitations. */
export async function inspectOurMetadata(deps: ProviderCheckDeps): Promise<ProviderFinding[]> {
  const { publicUrl, isEmbedded, inviteTokenIssuer } = deps;
  const url = `${publicUrl}/.well-known/openid-configuration`;
  const ours = about(
    say(topics.ourMetadata),
    say(facts.issuerAt, { issuer: inviteTokenIssuer, address: url }),
  );
  const findings: ProviderFinding[] = [];
  const { protocol, hostname } = new URL(publicUrl);
  const isPrivate =
    /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[)|\.(?:local|internal|lan)$/.test(
      hostname,
    );
  if (!isEmbedded && (isPrivate || protocol !== 'https:')) {
    const address = about(say(topics.publicAddress), say(facts.publicAddress));
    const found = isPrivate ? facts.privateAddress : facts.plainAddress;
    findings.push(address.failed(say(found, { address: publicUrl }), say(advice.setPublicUrl)));
  }
  const answer = await visitJson(deps.fetch, url);
  if ('trouble' in answer) return [...findings, ours.failed(answer.trouble, say(advice.passMetadata))];
  const { issuer, jwks_uri: keysUrl } = answer.json;
  if (
    issuer !== inviteTokenIssuer ||
    typeof keysUrl !== 'string' ||
    originOf(keysUrl) !== new URL(publicUrl).origin
  ) {
    const said = cutText(JSON.stringify(issuer ?? null), 200);
    return [...findings, ours.failed(say(facts.otherIssuer, { issuer: said }), say(advice.samePublicUrl))];
  }
  const ourKeys = about(say(topics.ourMetadata), say(facts.invitationKeys));
  const keys = await visitJson(deps.fetch, keysUrl);
  if ('trouble' in keys) return [...findings, ourKeys.failed(keys.trouble, say(advice.passKeys))];
  if (!Array.isArray(keys.json['keys']))
    return [...findings, ourKeys.failed(say(facts.noKeysAt, { address: keysUrl }), say(advice.passKeys))];
  const ids = pluck(keys.json['keys'] as { kid?: unknown }[], 'kid');
  const missing = (await deps.publishedKeyIds()).filter((id) => !ids.includes(id));
  if (missing.length > 0)
    return [
      ...findings,
      ourKeys.failed(say(facts.otherKeys, { list: missing.join(', ') }), say(advice.sameSecret)),
    ];
  const found =
    ids.length === 1
      ? say(facts.ourKey, { issuer: inviteTokenIssuer })
      : say(facts.ourKeys, { issuer: inviteTokenIssuer, count: ids.length });
  return [...findings, ours.ok(found)];
}
