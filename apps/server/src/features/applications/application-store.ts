/** Reads and writes applications and their access lists. */
import {
  applicationErrors,
  type AccessEntry,
  type Application,
  type NamedAccess,
} from '@vestibule/contract/applications';
import {
  execute,
  jsonParameter,
  rawSql,
  rowOf,
  rowsOf,
  type Queryable,
} from '../../platform/database/database.ts';
import { isSuspendedSql } from '../../platform/http/organization-access.ts';
import { fail, onUniqueViolation } from '../../platform/errors/failure.ts';

type ApplicationRow = {
  id: string;
  name: string;
  address: string;
  icon_hash: string | null;
  created_at: Date;
  created_by: string;
  version: number;
};

type Icon = { bytes: Buffer; type: string; hash: string };

const columns = 'id, name, address, icon_hash, created_at, created_by, version';

/**
 * SQL condition: the person may open the application. This is the only rule of access; the status of the person is checked separately.
 * Members of a suspended organization have no access by the membership, nor have those who did not sign in through the provider that it
 * requires. `at` is the time, `method` the sign-in method of the session; null without a session.
 */
export const mayOpenSql = ({
  application,
  person,
  role,
  at,
  method,
}: Record<'application' | 'person' | 'role' | 'at' | 'method', string>) => `exists (
  select from application_access entry
  where entry.application_id = ${application} and case entry.kind
    when 'everyone' then true
    when 'siteRole' then entry.site_role = ${role}
    when 'person' then entry.person_id = ${person}
    when 'group' then exists (
      select from directory_members join directory_users on directory_users.id = user_id
      where group_id = entry.group_id and directory_users.person_id = ${person})
    when 'organization' then exists (
      select from memberships joined join organizations on organizations.id = joined.organization_id
      where joined.person_id = ${person} and not ${isSuspendedSql(at)}
        and ${opensWithSql(method)} and (entry.organization_id is null or joined.organization_id = entry.organization_id)
        and (entry.role_id is null or joined.role_id = entry.role_id))
    end)`;

/** SQL condition: the organization can be opened after a sign-in with this method. */
export const opensWithSql = (method: string) => `not exists (
  select from organization_connections connection
  where connection.organization_id = organizations.id and connection.is_required and connection.way is distinct from ${method})`;

export const listRows = (database: Queryable) =>
  rowsOf<ApplicationRow>(database)`select ${rawSql(columns)} from applications order by lower(name), id`;

/** Returns the applications that an active person may open. */
export const listRowsFor = (
  database: Queryable,
  { id, signInMethod = null }: { id: string; signInMethod?: string | null | undefined },
  at: Date,
) => {
  const [application, person, role] = ['applications.id', 'person.person_id', 'person.role'];
  const mayOpen = (time: string, method: string) =>
    mayOpenSql({ application, person, role, at: time, method: `${method}::text` });
  return rowsOf<ApplicationRow>(database, { name: 'list-my-applications' })`
    select ${rawSql(columns)} from applications join (select id as person_id, role from people where id = ${id}) person
      on ${rawSql(mayOpen, at, signInMethod)}
    order by lower(name), id`;
};

export async function findApplication(
  database: Queryable,
  id: string,
  lock: '' | 'for update' = '',
): Promise<ApplicationRow> {
  const row = await rowOf<ApplicationRow>(database)`
    select ${rawSql(columns)} from applications where id = ${id} ${rawSql(lock)}`;
  if (!row) throw fail(applicationErrors.notFound);
  return row;
}

const refuseTakenHost = onUniqueViolation('applications_host', applicationErrors.addressTaken);
const hostOf = (address: string) => new URL(address).hostname;

export async function insertApplication(
  transaction: Queryable,
  application: Record<'id' | 'name' | 'address' | 'createdBy', string> & { createdAt: Date },
): Promise<void> {
  const { id, name, address, createdAt, createdBy } = application;
  await execute(transaction)`
    insert into applications (id, name, address, host, created_at, created_by)
      values (${id}, ${name}, ${address}, ${hostOf(address)}, ${createdAt}, ${createdBy})`.catch(
    refuseTakenHost,
  );
}

export async function updateApplication(
  transaction: Queryable,
  id: string,
  { name, address }: { name: string; address: string },
): Promise<void> {
  await execute(transaction)`
    update applications set name = ${name}, address = ${address}, host = ${hostOf(address)}, version = version + 1
      where id = ${id}`.catch(refuseTakenHost);
}

/** Signs all users out of an application: its cookies belong to the host of the previous address. */
export async function endApplicationSessions(transaction: Queryable, id: string): Promise<void> {
  await execute(transaction)`delete from application_codes where application_id = ${id}`;
  await execute(transaction)`delete from application_sessions where application_id = ${id}`;
}

export async function storeIcon(transaction: Queryable, id: string, icon: Icon | null): Promise<void> {
  await execute(transaction)`
    update applications set icon = ${icon?.bytes ?? null}, icon_type = ${icon?.type ?? null},
      icon_hash = ${icon?.hash ?? null} where id = ${id}`;
}

export const findIcon = (database: Queryable, id: string) =>
  rowOf<Icon>(database)`
    select icon as bytes, icon_type as type, icon_hash as hash from applications where id = ${id} and icon is not null`;

/** Replaces the access list. */
export async function storeAccess(transaction: Queryable, id: string, access: AccessEntry[]): Promise<void> {
  await execute(transaction)`delete from application_access where application_id = ${id}`;
  await execute(transaction)`
    insert into application_access (application_id, position, kind, site_role, organization_id, role_id, group_id,
      person_id)
    select ${id}, position, kind, role, "organizationId", "roleId", "groupId", "personId"
    from rows from (jsonb_to_recordset(${jsonParameter(access)}) as (kind text, role text, "organizationId" uuid,
      "roleId" text, "groupId" uuid, "personId" uuid))
      with ordinality as entry (kind, role, "organizationId", "roleId", "groupId", "personId", position)`.catch(
    (error: unknown) => {
      throw (error as { code?: string }).code === foreignKeyViolation
        ? fail(applicationErrors.accessUnknown)
        : error;
    },
  );
}

const foreignKeyViolation = '23503';

/** Returns the access lists of applications, with names, by application. */
export async function readAccess(database: Queryable, ids: string[]): Promise<Map<string, NamedAccess[]>> {
  const rows = await rowsOf<NamedAccess & { applicationId: string }>(database)`
    select application_id as "applicationId", kind, site_role as role, organization_id as "organizationId",
      organizations.name as "organizationName", role_id as "roleId", organization_roles.name as "roleName",
        group_id as "groupId",
      directory_groups.display_name as "groupName", person_id as "personId", people.email as "personEmail",
      people.display_name as "personName"
    from application_access
      left join organizations on organizations.id = organization_id
      left join organization_roles on organization_roles.id = role_id
      left join directory_groups on directory_groups.id = group_id
      left join people on people.id = person_id
    where application_id = any(${ids}) order by application_id, position`;
  return Map.groupBy(rows, ({ applicationId }) => applicationId);
}

export const toSummary = ({ id, name, address, icon_hash: hash }: ApplicationRow) => ({
  id,
  name,
  address,
  iconUrl: hash === null ? null : `/api/applications/${id}/icon?${hash.slice(0, 16)}`,
});

/** Returns applications as the API does. */
export async function toApplications(database: Queryable, rows: ApplicationRow[]): Promise<Application[]> {
  const access = await readAccess(
    database,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    ...toSummary(row),
    access: access.get(row.id) ?? [],
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
    version: row.version,
  }));
}
