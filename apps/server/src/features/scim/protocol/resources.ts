/** Users and groups as SCIM shows them, their versions, and the parts of them that are asked for. */
import type { GroupRow, MemberRow } from '../group-store.ts';
import type { UserRow } from '../user-store.ts';
import { withoutSchema } from './attribute-path.ts';
import { ScimFailure } from './scim-failure.ts';

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';

export type Resource = { schemas: string[]; id: string; meta: Meta } & Record<string, unknown>;
type Meta = {
  resourceType: string;
  created: string;
  lastModified: string;
  version: string;
  location: string;
};

const versionOfUser = ({ version, person_version }: UserRow) => `W/"${version}-${person_version}"`;
const versionOfGroup = ({ version }: GroupRow) => `W/"${version}"`;

/** `base` is the address of SCIM here. What is not known is left out: null would be a value. */
export function toUser(row: UserRow, base: string): Resource {
  const name = known({
    formatted: row.formatted_name,
    givenName: row.given_name,
    familyName: row.family_name,
  });
  return {
    schemas: [userSchema],
    id: row.id,
    ...known({ externalId: row.external_id }),
    userName: row.user_name,
    ...(Object.keys(name).length > 0 && { name }),
    ...known({ displayName: row.display_name }),
    emails: [{ value: row.email, type: 'work', primary: true }],
    active: row.is_active,
    meta: {
      resourceType: 'User',
      created: row.created_at.toISOString(),
      lastModified: row.modified_at.toISOString(),
      version: versionOfUser(row),
      location: `${base}/Users/${row.id}`,
    },
  };
}

/** `members` are those of several groups. */
export function toGroup(row: GroupRow, members: MemberRow[], base: string): Resource {
  return {
    schemas: [groupSchema],
    id: row.id,
    ...known({ externalId: row.external_id }),
    displayName: row.display_name,
    members: members
      .filter(({ group_id }) => group_id === row.id)
      .map(({ user_id, user_name }) => ({
        value: user_id,
        display: user_name,
        type: 'User',
        $ref: `${base}/Users/${user_id}`,
      })),
    meta: {
      resourceType: 'Group',
      created: row.created_at.toISOString(),
      lastModified: row.modified_at.toISOString(),
      version: versionOfGroup(row),
      location: `${base}/Groups/${row.id}`,
    },
  };
}

const known = (fields: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** Which parts are asked for (RFC 7644, section 3.9). */
type Asked = { attributes: ReadonlySet<string> | null; excluded: ReadonlySet<string> };

/** Lists of names with commas, in any case and with or without the schema. Filters in brackets are ignored. */
export function readAsked(query: { attributes?: string; excludedAttributes?: string }): Asked {
  const listed = (list: string) =>
    new Set(list.split(',').map((name) => withoutSchema(name.trim()).replace(/\[[^\]]*\]/, '')));
  return {
    attributes: query.attributes ? listed(query.attributes) : null,
    excluded: query.excludedAttributes ? listed(query.excludedAttributes) : new Set(),
  };
}

/** Whether an attribute is asked for, or one within it. */
export const wants = ({ attributes, excluded }: Asked, name: string) =>
  !excluded.has(name) &&
  (attributes === null || [...attributes].some((one) => one === name || one.startsWith(`${name}.`)));

/** `schemas` and `id` are always there. */
export function partOf(resource: Resource, asked: Asked): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(resource).flatMap(([key, value]) => {
      if (key === 'id' || key === 'schemas') return [[key, value]];
      const name = key.toLowerCase();
      if (asked.excluded.has(name)) return [];
      const part = subOf(value, (sub) => {
        const whole = `${name}.${sub.toLowerCase()}`;
        return (
          !asked.excluded.has(whole) &&
          (asked.attributes === null || asked.attributes.has(name) || asked.attributes.has(whole))
        );
      });
      const isWanted = asked.attributes === null || asked.attributes.has(name);
      return isWanted || isFilled(part) ? [[key, part]] : [];
    }),
  );
}

function subOf(value: unknown, keeps: (sub: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => subOf(one, keeps)).filter(isFilled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([sub]) => keeps(sub)));
}

const isFilled = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Refuses what is based on another version than there is (RFC 9110, section 13.1.1). */
function requireVersion(header: string | undefined, version: string): void {
  if (header !== undefined && !names(header, version))
    throw new ScimFailure(412, 'This resource was changed meanwhile. Read it again.');
}

export const isUnchanged = (header: string | undefined, version: string) =>
  header !== undefined && names(header, version);

function names(header: string, version: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((tag) => opaque(tag) === opaque(version));
}

export const requireSeenUser = (header: string | undefined) => (row: UserRow) =>
  requireVersion(header, versionOfUser(row));
export const requireSeenGroup = (header: string | undefined) => (row: GroupRow) =>
  requireVersion(header, versionOfGroup(row));
