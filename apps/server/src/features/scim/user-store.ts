import { execute, hasRow, rowOf, type Queryable } from '../../platform/database/database.ts';
import { canonicalEmail } from '../../platform/identity/canonical-email.ts';
import {
  booleanAttribute,
  constantAttribute,
  textAttribute,
  timeAttribute,
  toAddress,
  toLowerCase,
  type FilterAttribute,
} from './protocol/filter-attributes.ts';
import { readFilteredPage, type FilterAttributes, type FilteredPage } from './protocol/filter.ts';
import type { Address, UserAttributes } from './protocol/user-attributes.ts';

export type UserRow = {
  id: string;
  user_name: string;
  external_id: string | null;
  email: string;
  email_canonical: string;
  /** Whether the address is the user name, because the directory sends none. */
  email_follows: boolean;
  display_name: string | null;
  formatted_name: string | null;
  given_name: string | null;
  family_name: string | null;
  /** As sent by the directory. */
  active: boolean;
  /** False also if an administrator disabled the person, or a manager removed the member. */
  is_active: boolean;
  person_id: string | null;
  created_at: Date;
  modified_at: Date;
};

const columnsWith = (isActive: string) =>
  `listed.id, user_name, external_id, listed.email, listed.email_canonical, email_follows, listed.display_name,
  formatted_name, given_name, family_name, listed.active, ${isActive} as is_active, listed.person_id, created_at, modified_at`;

type UserTable = { name: string; from: string; isActive: string; columns: string; isInScope: string };

const describeTable = (name: string, details: Omit<UserTable, 'name' | 'columns'>): UserTable => ({
  ...details,
  name,
  columns: columnsWith(details.isActive),
});

const siteUsers = describeTable('directory_users', {
  from: 'directory_users listed left join people on people.id = listed.person_id',
  isActive: `(listed.active and coalesce(people.status, 'active') = 'active')`,
  isInScope: '$1::uuid is null',
});

/** Members are active; people who have not joined yet are as the directory says. */
const isActiveMember = `(listed.active and (listed.person_id is null or (membership.person_id is not null and people.status = 'active')))`;

const organizationUsers = describeTable('organization_directory_users', {
  from: `organization_directory_users listed left join people on people.id = listed.person_id
    left join memberships membership on membership.organization_id = listed.organization_id and membership.person_id = listed.person_id`,
  isActive: isActiveMember,
  isInScope: 'listed.organization_id = $1',
});

const emailColumn = 'listed.email_canonical';
/** A part of an address has no canonical form. */
const emailAttribute: FilterAttribute = {
  conditions: {
    ...textAttribute(emailColumn, { value: 'lower($n)' }).conditions,
    eq: `${emailColumn} = $n`,
    ne: `${emailColumn} <> $n`,
  },
  toParameter: (value) => canonicalEmail(toAddress(value)) ?? toAddress(value),
};

/** Attributes that filters may use. */
const filterAttributesOf = ({ isActive }: UserTable): FilterAttributes => ({
  id: textAttribute('listed.id::text', { toParameter: toLowerCase }),
  username: textAttribute('lower(user_name)', { value: 'lower($n)', toParameter: toAddress }),
  externalid: textAttribute('external_id'),
  'emails.value': emailAttribute,
  emails: emailAttribute,
  'emails.type': constantAttribute('work'),
  'emails.primary': constantAttribute('true'),
  displayname: textAttribute('lower(listed.display_name)', { value: 'lower($n)' }),
  active: booleanAttribute(isActive),
  'meta.created': timeAttribute('created_at'),
  'meta.lastmodified': timeAttribute('modified_at'),
});

export type UserStore = ReturnType<typeof createUserStore>;

/** Users of the directory of the site (`organizationId` is null), or of an organization. */
export function createUserStore(organizationId: string | null) {
  const table = organizationId === null ? siteUsers : organizationUsers;
  const { name, from, columns, isInScope } = table;
  const filterAttributes = filterAttributesOf(table);

  return {
    list(database: Queryable, page: FilteredPage): Promise<{ rows: UserRow[]; total: number }> {
      const sql = { columns, from: `${from} where ${isInScope}`, order: 'created_at, listed.id' };
      return readFilteredPage<UserRow>(database, page, filterAttributes, sql, [organizationId]);
    },

    find: (database: Queryable, id: string, { locked } = { locked: false }) =>
      rowOf<UserRow>(database, {
        text: `select ${columns} from ${from} where ${isInScope} and listed.id = $2
               ${locked ? 'for no key update of listed' : ''}`,
        values: [organizationId, id],
      }),

    async insert(transaction: Queryable, id: string, user: StoredUser): Promise<void> {
      const ofOrganization = organizationId === null ? [] : [organizationId];
      await transaction.query({
        text: `insert into ${name} (user_name, external_id, email, email_canonical, display_name, formatted_name, given_name,
                 family_name, active, person_id, created_at, modified_at, email_follows, id${organizationId === null ? '' : ', organization_id'})
               values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12, $13${organizationId === null ? '' : ', $14'})`,
        values: [...valuesOfUser(user), id, ...ofOrganization],
      });
    },

    async update(transaction: Queryable, id: string, user: StoredUser): Promise<void> {
      await transaction.query({
        text: `update ${name} listed set user_name = $2, external_id = $3, email = $4, email_canonical = $5, display_name = $6,
                 formatted_name = $7, given_name = $8, family_name = $9, active = $10, person_id = $11, modified_at = $12,
                 email_follows = $13
               where ${isInScope} and id = $14`,
        values: [organizationId, ...valuesOfUser(user), id],
      });
    },

    /** Links the user with a person; null removes the link. */
    link: (transaction: Queryable, id: string, personId: string | null) =>
      execute(transaction, `update ${name} listed set person_id = $3 where ${isInScope} and id = $2`, [
        organizationId,
        id,
        personId,
      ]),

    /** Removes the link of an inactive user with another address: a deleted account whose address a new one has. Returns whether there was one. */
    unlinkInactive: (transaction: Queryable, personId: string, { emailCanonical }: Address) =>
      hasRow(transaction, {
        text: `update ${name} listed set person_id = null
               where ${isInScope} and person_id = $2 and not active and email_canonical <> $3 returning id`,
        values: [organizationId, personId, emailCanonical],
      }),

    delete: (transaction: Queryable, id: string) =>
      execute(transaction, `delete from ${name} listed where ${isInScope} and id = $2`, [organizationId, id]),
  };
}

type StoredUser = UserAttributes & Address & { active: boolean; personId: string | null; at: Date };

const valuesOfUser = ({ userName, externalId, email, emailCanonical, displayName, ...rest }: StoredUser) => [
  userName,
  externalId,
  email,
  emailCanonical,
  displayName,
  rest.formattedName,
  rest.givenName,
  rest.familyName,
  rest.active,
  rest.personId,
  rest.at,
  rest.emailFollows,
];

export const attributesOf = (row: UserRow): UserAttributes => ({
  userName: row.user_name,
  externalId: row.external_id,
  displayName: row.display_name,
  formattedName: row.formatted_name,
  givenName: row.given_name,
  familyName: row.family_name,
  email: row.email_follows ? null : row.email,
  active: row.active,
});
