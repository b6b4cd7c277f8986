/** SCIM representations of users and groups, and attribute selection. */
import type { GroupRow, MemberRow } from '../group-store.ts';
import type { UserRow } from '../user-store.ts';
import { withoutSchema } from './attribute-path.ts';

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';

export type Resource = { schemas: string[]; id: string; meta: { location: string } } & Record<
  string,
  unknown
>;

const metaOf = (resourceType: 'User' | 'Group', row: UserRow | GroupRow, base: string) => ({
  resourceType,
  created: row.created_at.toISOString(),
  lastModified: row.modified_at.toISOString(),
  location: `${base}/${resourceType}s/${row.id}`,
});

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
    meta: metaOf('User', row, base),
  };
}

/** `members` may include those of other groups. */
export const toGroup = (row: GroupRow, members: MemberRow[], base: string): Resource => ({
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
  meta: metaOf('Group', row, base),
});

const withoutNulls = (fields: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** Requested attributes (RFC 7644, section 3.9). */
type AttributeSelection = { attributes: ReadonlySet<string> | null; excluded: ReadonlySet<string> };

/** Parses comma-separated names in any case, with or without the schema. A part of an attribute, such as `name.familyName`, selects all of it. */
export function readAttributeSelection(query: {
  attributes?: string;
  excludedAttributes?: string;
}): AttributeSelection {
  const parseNames = (list = '') => list.split(',').map((name) => withoutSchema(name.trim()));
  return {
    attributes: query.attributes
      ? new Set(parseNames(query.attributes).map((name) => name.replace(/[.[].*/, '')))
      : null,
    excluded: new Set(parseNames(query.excludedAttributes)),
  };
}

export const isRequested = ({ attributes, excluded }: AttributeSelection, name: string) =>
  !excluded.has(name) && (attributes === null || attributes.has(name));

/** Returns the requested attributes; `schemas` and `id` are always included. */
export const selectAttributes = (
  resource: Resource,
  selection: AttributeSelection,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(resource).filter(
      ([key]) => key === 'id' || key === 'schemas' || isRequested(selection, key.toLowerCase()),
    ),
  );
