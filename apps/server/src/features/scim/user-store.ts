import { rowOf, type Queryable } from '../../platform/database/database.ts';
import { canonicalEmail } from '../../platform/identity/canonical-email.ts';
import { filterConditions, type Conditions } from './protocol/filter.ts';
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
  /** False also if an administrator disabled the person. */
  is_active: boolean;
  person_id: string | null;
  created_at: Date;
  modified_at: Date;
  version: number;
  /** Increases with changes of the person. */
  person_version: number;
};

const isActive = `(listed.active and coalesce(people.status, 'active') = 'active')`;
const columns = `listed.id, user_name, external_id, listed.email, listed.email_canonical, email_follows, listed.display_name,
  formatted_name, given_name, family_name, listed.active, ${isActive} as is_active, person_id, created_at, modified_at, listed.version,
  coalesce(people.version, 0) as person_version`;
const from = 'from directory_users listed left join people on people.id = listed.person_id';

/** Attributes that filters may use. */
const conditions: Conditions = {
  id: (value) => ({ sql: 'listed.id::text = $n', value: String(value).toLowerCase() }),
  username: (value) => ({ sql: 'lower(user_name) = lower($n)', value: String(value) }),
  externalid: (value) => ({ sql: 'external_id = $n', value: String(value) }),
  'emails.value': (value) => ({ sql: 'listed.email_canonical = $n', value: canonicalEmail(String(value)) }),
  emails: (value) => ({ sql: 'listed.email_canonical = $n', value: canonicalEmail(String(value)) }),
  'emails.type': (value) => ({ sql: `$n::text = 'work'`, value: String(value).toLowerCase() }),
  'emails.primary': (value) => ({ sql: `$n::text = 'true'`, value: String(value).toLowerCase() }),
  displayname: (value) => ({ sql: 'lower(listed.display_name) = lower($n)', value: String(value) }),
  active: (value) => ({ sql: `${isActive} = $n`, value: String(value).toLowerCase() === 'true' }),
};

export async function listUsers(
  database: Queryable,
  { filter, offset, count }: { filter: string | undefined; offset: number; count: number },
): Promise<{ rows: UserRow[]; total: number }> {
  const { where, values } = filterConditions(filter, conditions);
  const [{ rows }, { rows: totals }] = await Promise.all([
    database.query<UserRow>({
      text: `select ${columns} ${from} where ${where} order by created_at, listed.id
             limit $${values.length + 1} offset $${values.length + 2}`,
      values: [...values, count, offset],
    }),
    database.query<{ total: number }>({ text: `select count(*) as total ${from} where ${where}`, values }),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

export function findUser(database: Queryable, id: string, { locked } = { locked: false }) {
  return rowOf<UserRow>(database, {
    text: `select ${columns} ${from} where listed.id = $1 ${locked ? 'for no key update of listed' : ''}`,
    values: [id],
  });
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

export async function insertUser(transaction: Queryable, id: string, user: StoredUser): Promise<void> {
  await transaction.query({
    text: `insert into directory_users (user_name, external_id, email, email_canonical, display_name, formatted_name, given_name,
             family_name, active, person_id, created_at, modified_at, email_follows, id)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12, $13)`,
    values: [...valuesOfUser(user), id],
  });
}

export async function updateUser(transaction: Queryable, id: string, user: StoredUser): Promise<void> {
  await transaction.query({
    text: `update directory_users set user_name = $1, external_id = $2, email = $3, email_canonical = $4, display_name = $5,
             formatted_name = $6, given_name = $7, family_name = $8, active = $9, person_id = $10, modified_at = $11,
             email_follows = $12, version = version + 1
           where id = $13`,
    values: [...valuesOfUser(user), id],
  });
}

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
