/** Headers with the identity of the user, for the application. */
import { SignJWT, type CryptoKey } from 'jose';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { GateUser } from './gate-store.ts';

const assertionSeconds = 300;
/** An assertion is sent for this time, so that a signature is made once a minute for each user and application. */
const reuseMs = 60_000;
const cachedAssertions = 10_000;
/** Limit of `Remote-Groups` in characters; nginx accepts 4 kB of headers by default. */
const groupsMaximumLength = 1_500;

const names = [
  'remote-user',
  'remote-email',
  'remote-name',
  'remote-groups',
  'x-vestibule-assertion',
] as const;
type IdentityHeaders = Record<(typeof names)[number], string>;

/** Headers without an identity. They are always sent: proxies copy only present headers, and keep those of the client otherwise. */
export const noIdentity = Object.fromEntries(names.map((name) => [name, ''])) as IdentityHeaders;

/**
 * Encodes a header value: characters outside printable ASCII, and the percent sign, are percent-encoded UTF-8 (RFC 3986, section 2.1).
 * `decodeURIComponent` restores the text.
 */
const encodeHeader = (text: string): string =>
  text.toWellFormed().replaceAll(/[^\x20-\x7e]|%/gu, (character) => encodeURIComponent(character));

/** Also encodes the separators of the list. */
const encodeGroup = (text: string): string =>
  encodeHeader(text).replaceAll(',', '%2C').replaceAll(':', '%3A');

/** Returns the role on the site, organizations with the roles there, and groups of the directory, as many as the limit allows. */
function groupsOf({ role, memberships, directory_groups }: GateUser): string[] {
  const groups = [role];
  let length = role.length;
  const fromOrganizations = (memberships ?? []).map(([slug, organizationRole]) => [
    `organization:${slug}`,
    `organization:${slug}:${encodeGroup(organizationRole)}`,
  ]);
  const fromDirectory = directory_groups.map((name) => [`group:${encodeGroup(name)}`]);
  for (const added of [...fromOrganizations, ...fromDirectory]) {
    length += added.join(',').length + 1;
    if (length > groupsMaximumLength) break;
    groups.push(...added);
  }
  return groups;
}

export type IdentityHeadersOf = (user: GateUser, address: string) => Promise<IdentityHeaders>;

/** `keys` are those of `/.well-known/jwks.json`. */
export function createIdentityHeaders(deps: {
  keys: { current(): Promise<{ kid: string; privateKey: CryptoKey }> };
  publicUrl: string;
  now: () => number;
}): IdentityHeadersOf {
  const { keys, publicUrl, now } = deps;
  const assertions = new BoundedMap<string, { assertion: string; until: number }>(cachedAssertions);

  async function sign(user: GateUser, groups: string[], address: string): Promise<string> {
    const { kid, privateKey } = await keys.current();
    const issuedAt = Math.floor(now() / 1000);
    return new SignJWT({ email: user.email, name: user.display_name, groups })
      .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
      .setIssuer(publicUrl)
      .setAudience(address)
      .setSubject(user.id)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + assertionSeconds)
      .sign(privateKey);
  }

  return async (user, address) => {
    const groups = groupsOf(user);
    const headers = {
      'remote-user': encodeHeader(user.email_canonical),
      'remote-email': encodeHeader(user.email),
      'remote-name': encodeHeader(user.display_name),
      'remote-groups': groups.join(','),
    };
    const key = JSON.stringify([user.id, address, headers]);
    let known = assertions.get(key);
    if (!known || known.until <= now()) {
      known = { assertion: await sign(user, groups, address), until: now() + reuseMs };
      assertions.set(key, known);
    }
    return { ...headers, 'x-vestibule-assertion': known.assertion };
  };
}
