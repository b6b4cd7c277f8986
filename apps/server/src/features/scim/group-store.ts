import {
  hasRow,
  rawSql,
  rowOf,
  rowsOf,
  scalarsOf,
  type Queryable,
} from '../../platform/database/database.ts';
import {
  constantAttribute,
  textAttribute,
  timeAttribute,
  toLowerCase,
  type FilterAttribute,
} from './protocol/filter-attributes.ts';
import { readFilteredPage, type FilterAttributes, type FilteredPage } from './protocol/filter.ts';

export type GroupRow = {
  id: string;
  display_name: string;
  external_id: string | null;
  gives_administrator: boolean;
  created_at: Date;
  modified_at: Date;
};

export type MemberRow = { group_id: string; user_id: string; user_name: string };

const columns = 'id, display_name, external_id, gives_administrator, created_at, modified_at';

const hasMember = (condition: string) =>
  `exists (select from directory_members where group_id = directory_groups.id and ${condition})`;

const membersAttribute: FilterAttribute = {
  conditions: {
    eq: hasMember('user_id::text = $n'),
    ne: `not ${hasMember('user_id::text = $n')}`,
    pr: hasMember('true'),
  },
  toParameter: toLowerCase,
};

/** Attributes that filters may use. Entra ID tests membership by `members eq "…"`. */
const filterAttributes: FilterAttributes = {
  id: textAttribute('id::text', { toParameter: toLowerCase }),
  displayname: textAttribute('lower(display_name)', { value: 'lower($n)' }),
  externalid: textAttribute('external_id'),
  members: membersAttribute,
  'members.value': membersAttribute,
  'members.type': constantAttribute('user'),
  'meta.created': timeAttribute('created_at'),
  'meta.lastmodified': timeAttribute('modified_at'),
};

export const listGroups = (database: Queryable, page: FilteredPage) =>
  readFilteredPage<GroupRow>(database, page, filterAttributes, {
    columns,
    from: 'directory_groups where true',
    order: 'created_at, id',
  });

export const findGroup = (database: Queryable, id: string, { locked } = { locked: false }) =>
  rowOf<GroupRow>(database)`
    select ${rawSql(columns)} from directory_groups where id = ${id} ${rawSql(locked ? 'for no key update' : '')}`;

export const listMembers = (database: Queryable, groupIds: string[]) =>
  rowsOf<MemberRow>(database)`
    select group_id, user_id, user_name from directory_members join directory_users on id = user_id
    where group_id = any(${groupIds}) order by group_id, user_id`;

/** Returns the users who were not members before. */
export const insertMembers = (transaction: Queryable, groupId: string, userIds: string[]) =>
  scalarsOf<string>(transaction)`
    insert into directory_members (group_id, user_id) select ${groupId}, id
      from unnest(${userIds}::uuid[]) as requested (id)
    on conflict do nothing returning user_id`;

/** Returns the users who were members. With `except`, deletes all other members. */
export async function deleteMembers(
  transaction: Queryable,
  groupId: string,
  selection: { only: string[] } | { except: string[] },
): Promise<string[]> {
  const [condition, ids] = 'only' in selection ? ['= any', selection.only] : ['<> all', selection.except];
  return scalarsOf<string>(transaction)`
    delete from directory_members where group_id = ${groupId} and user_id ${rawSql(condition)}(${ids}::uuid[])
      returning user_id`;
}

/** Returns whether any group of the user grants the administrator role. */
export const isInAdministratorGroup = (database: Queryable, userId: string) =>
  hasRow(database)`
    select from directory_members join directory_groups on id = group_id
    where user_id = ${userId} and gives_administrator limit 1`;
