/** Checks the access tokens received here, and the public metadata of this site. */
import { cutText } from '@vestibule/contract/rules/cut-text';
import {
  providerAdvice as advice,
  providerFacts as facts,
  providerTopics as topics,
  type ProviderFinding,
} from '@vestibule/contract/settings/provider-check';
import { createMessage } from '@vestibule/contract/texts/text';
import { valuesOf } from '../../platform/values-of.ts';
import {
  createFindings,
  literalMessage,
  isoTimeOf,
  originOf,
  findRecentlyRefusedToken,
  type ProviderCheckDeps,
} from './provider-finding.ts';
import { probeJson } from './http-probe.ts';

export function checkReceivedTokens(deps: ProviderCheckDeps): ProviderFinding[] {
  const audience = createFindings(createMessage(topics.audience), literalMessage(deps.provider.audience));
  const foreign = findRecentlyRefusedToken(deps, 'aud');
  if (foreign.refused) {
    const found = { time: isoTimeOf(foreign.refused), audience: foreign.refused.audience };
    return [
      audience.problem(
        foreign.outcome,
        createMessage(facts.foreignToken, found),
        createMessage(advice.correctAudience),
      ),
    ];
  }
  const early = findRecentlyRefusedToken(deps, 'nbf').refused;
  if (early) {
    const times = createFindings(createMessage(topics.tokenTimes), createMessage(facts.timelyTokens));
    return [
      times.warning(
        createMessage(facts.earlyToken, { time: isoTimeOf(early) }),
        createMessage(advice.compareClocks),
      ),
    ];
  }
  const { accepted } = deps.recentTokens.last();
  if (!accepted) return [audience.warning(createMessage(facts.noToken), createMessage(advice.signInOnce))];
  const time = isoTimeOf(accepted);
  const scopes = accepted.scopes.join(' ');
  const findings = [audience.ok(createMessage(facts.token, { time, audience: accepted.audience, scopes }))];
  // Reported only if it is missing.
  if (!accepted.hasSignInTime) {
    const signInTime = createFindings(createMessage(topics.signInMoment), createMessage(facts.signInMoment));
    findings.push(
      signInTime.warning(
        createMessage(facts.noSignInMoment, { time }),
        createMessage(advice.tellSignInMoment),
      ),
    );
  }
  return findings;
}

/** Requests the metadata of this site as the provider does to verify invitations. */
export async function checkSiteMetadata(deps: ProviderCheckDeps): Promise<ProviderFinding[]> {
  const { publicUrl, isEmbedded, inviteTokenIssuer } = deps;
  const url = `${publicUrl}/.well-known/openid-configuration`;
  const ours = createFindings(
    createMessage(topics.ourMetadata),
    createMessage(facts.issuerAt, { issuer: inviteTokenIssuer, address: url }),
  );
  const findings: ProviderFinding[] = [];
  const { protocol, hostname } = new URL(publicUrl);
  const isPrivate =
    /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[)|\.(?:local|internal|lan)$/.test(
      hostname,
    );
  if (!isEmbedded && (isPrivate || protocol !== 'https:')) {
    const address = createFindings(createMessage(topics.publicAddress), createMessage(facts.publicAddress));
    const found = isPrivate ? facts.privateAddress : facts.plainAddress;
    findings.push(
      address.failed(createMessage(found, { address: publicUrl }), createMessage(advice.setPublicUrl)),
    );
  }
  const answer = await probeJson(deps.fetch, url);
  if ('error' in answer) return [...findings, ours.failed(answer.error, createMessage(advice.passMetadata))];
  const { issuer, jwks_uri: keysUrl } = answer.json;
  if (
    issuer !== inviteTokenIssuer ||
    typeof keysUrl !== 'string' ||
    originOf(keysUrl) !== new URL(publicUrl).origin
  ) {
    const received = cutText(JSON.stringify(issuer ?? null), 200);
    return [
      ...findings,
      ours.failed(
        createMessage(facts.otherIssuer, { issuer: received }),
        createMessage(advice.samePublicUrl),
      ),
    ];
  }
  const ourKeys = createFindings(createMessage(topics.ourMetadata), createMessage(facts.invitationKeys));
  const keys = await probeJson(deps.fetch, keysUrl);
  if ('error' in keys) return [...findings, ourKeys.failed(keys.error, createMessage(advice.passKeys))];
  if (!Array.isArray(keys.json['keys']))
    return [
      ...findings,
      ourKeys.failed(createMessage(facts.noKeysAt, { address: keysUrl }), createMessage(advice.passKeys)),
    ];
  const ids = valuesOf(keys.json['keys'] as { kid?: unknown }[], 'kid');
  const missing = (await deps.publishedKeyIds()).filter((id) => !ids.includes(id));
  if (missing.length > 0)
    return [
      ...findings,
      ourKeys.failed(
        createMessage(facts.otherKeys, { list: missing.join(', ') }),
        createMessage(advice.sameSecret),
      ),
    ];
  const found =
    ids.length === 1
      ? createMessage(facts.ourKey, { issuer: inviteTokenIssuer })
      : createMessage(facts.ourKeys, { issuer: inviteTokenIssuer, count: ids.length });
  return [...findings, ours.ok(found)];
}
