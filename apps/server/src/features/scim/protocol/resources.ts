/** SCIM representations of users and groups, and attribute selection. */
import type { GroupRow, MemberRow } from '../group-store.ts';
import type { UserRow } from '../user-store.ts';
import { withoutSchema } from './attribute-path.ts';

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';

export type Resource = { schemas: string[]; id: string; meta: Meta } & Record<string, unknown>;
type Meta = {
  resourceType: string;
  created: string;
  lastModified: string;
  location: string;
};

/** `base` is the SCIM address. Null attributes are omitted. */
export function toUser(row: UserRow, base: string): Resource {
  const name = withoutNulls({
    formatted: row.formatted_name,
    givenName: row.given_name,
    familyName: row.family_name,
  });
  return {
    schemas: [userSchema],
    id: row.id,
    ...withoutNulls({ externalId: row.external_id }),
    userName: row.user_name,
    ...(Object.keys(name).length > 0 && { name }),
    ...withoutNulls({ displayName: row.display_name }),
    emails: [{ value: row.email, type: 'work', primary: true }],
    active: row.is_active,
    meta: {
      resourceType: 'User',
      created: row.created_at.toISOString(),
      lastModified: row.modified_at.toISOString(),
      location: `${base}/Users/${row.id}`,
    },
  };
}

/** `members` may include those of other groups. */
export function toGroup(row: GroupRow, members: MemberRow[], base: string): Resource {
  return {
    schemas: [groupSchema],
    id: row.id,
    ...withoutNulls({ externalId: row.external_id }),
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
      location: `${base}/Groups/${row.id}`,
    },
  };
}

const withoutNulls = (fields: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** Requested attributes (RFC 7644, section 3.9). */
type AttributeSelection = { attributes: ReadonlySet<string> | null; excluded: ReadonlySet<string> };

/** Parses comma-separated names in any case, with or without the schema. Filters in brackets are ignored. */
export function readAttributeSelection(query: {
  attributes?: string;
  excludedAttributes?: string;
}): AttributeSelection {
  const parseNames = (list: string) =>
    new Set(list.split(',').map((name) => withoutSchema(name.trim()).replace(/\[[^\]]*\]/, '')));
  return {
    attributes: query.attributes ? parseNames(query.attributes) : null,
    excluded: query.excludedAttributes ? parseNames(query.excludedAttributes) : new Set(),
  };
}

/** Returns whether an attribute or a sub-attribute is requested. */
export const isRequested = ({ attributes, excluded }: AttributeSelection, name: string) =>
  !excluded.has(name) &&
  (attributes === null || [...attributes].some((one) => one === name || one.startsWith(`${name}.`)));

/** Returns the requested attributes; `schemas` and `id` are always included. */
export function selectAttributes(resource: Resource, selection: AttributeSelection): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(resource).flatMap(([key, value]) => {
      if (key === 'id' || key === 'schemas') return [[key, value]];
      const name = key.toLowerCase();
      if (selection.excluded.has(name)) return [];
      const part = filterSubAttributes(value, (sub) => {
        const fullPath = `${name}.${sub.toLowerCase()}`;
        return (
          !selection.excluded.has(fullPath) &&
          (selection.attributes === null ||
            selection.attributes.has(name) ||
            selection.attributes.has(fullPath))
        );
      });
      const isSelected = selection.attributes === null || selection.attributes.has(name);
      return isSelected || isFilled(part) ? [[key, part]] : [];
    }),
  );
}

function filterSubAttributes(value: unknown, isIncluded: (sub: string) => boolean): unknown {
  if (Array.isArray(value))
    return value.map((one: unknown) => filterSubAttributes(one, isIncluded)).filter(isFilled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([sub]) => isIncluded(sub)));
}

const isFilled = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;
