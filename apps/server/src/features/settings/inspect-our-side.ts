/** This side of the sign-in: the tokens that arrived here, and our metadata as the sign-in service reads it. */
import type { ProviderFinding } from '@vestibule/contract/settings';
import { ok, originOf, refusedLately, timeOf, trouble, type ProviderCheckDeps } from './provider-finding.ts';
import { visitJson } from './provider-visit.ts';

export function inspectTokens(deps: ProviderCheckDeps): ProviderFinding[] {
  const name = 'Audience of tokens';
  const { audience } = deps.provider;
  const foreign = refusedLately(deps, 'aud');
  if (foreign.refused)
    return [
      trouble(
        foreign.outcome,
        name,
        `a token of ${timeOf(foreign.refused.at)} was for ${foreign.refused.audience} and was refused`,
        audience,
        'Set API_AUDIENCE to the client id that tokens are for, or let API_SCOPES name the scope of the right API.',
      ),
    ];
  const early = refusedLately(deps, 'nbf');
  if (early.refused)
    return [
      trouble(
        'warning',
        'Times of tokens',
        `a token of ${timeOf(early.refused.at)} was refused because it was not valid yet`,
        'tokens that are valid when they are used',
        'Compare the clocks of this server and of the sign-in service.',
      ),
    ];
  const { accepted } = deps.seenTokens.last();
  if (!accepted)
    return [
      trouble(
        'warning',
        name,
        'this server has seen no token since it started',
        audience,
        'Sign in once, then check again.',
      ),
    ];
  return [
    ok(
      name,
      `a token of ${timeOf(accepted.at)} was for ${accepted.audience}, with ${accepted.scopes.join(' ')}`,
      audience,
    ),
  ];
}

/** Our own metadata, as the provider reads it to check invitations. */
export async function inspectOurMetadata(deps: ProviderCheckDeps): Promise<ProviderFinding[]> {
  const { publicUrl, isEmbedded, inviteTokenIssuer } = deps;
  const name = 'Invitations, as the sign-in service reads them';
  const url = `${publicUrl}/.well-known/openid-configuration`;
  const expected = `issuer ${inviteTokenIssuer} at ${url}`;
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
        'Public address',
        `${publicUrl}, which the sign-in service cannot ${isPrivate ? 'reach' : 'trust'}`,
        'an address on https that can be reached from the internet',
        'Set PUBLIC_URL to the address that people open.',
      ),
    );
  const answer = await visitJson(deps.fetch, url);
  if ('trouble' in answer)
    return [
      ...findings,
      trouble(
        'failed',
        name,
        `${url}: ${answer.trouble}`,
        expected,
        'Let PUBLIC_URL name this site as it is seen from the internet, and your proxy pass /.well-known/ on.',
      ),
    ];
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
        name,
        `issuer ${JSON.stringify(issuer)?.slice(0, 200)}: another program answers there, or another PUBLIC_URL`,
        expected,
        'Set the same PUBLIC_URL on every server, and in the policy the issuer with its slash.',
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
        name,
        `${keysUrl}: ${'trouble' in keys ? keys.trouble : 'no keys'}`,
        'the keys that sign invitations',
        'Let your proxy pass /.well-known/ on.',
      ),
    ];
  const missing = (await deps.publishedKeyIds()).filter((id) => !ids.includes(id));
  return [
    ...findings,
    missing.length === 0
      ? ok(
          name,
          `issuer ${inviteTokenIssuer}, ${ids.length === 1 ? 'one key' : `${ids.length} keys`}`,
          expected,
        )
      : trouble(
          'failed',
          name,
          `other keys than this server's: ${missing.join(', ')} is missing`,
          'the keys that sign invitations',
          'Another installation answers at PUBLIC_URL, or a cache in between is old. All servers need the same DATABASE_URL and SECRET.',
        ),
  ];
}
