/** Reads and writes invitations. Each status change is one statement that checks the previous status. */
import {
  Invitation,
  invitationErrors,
  type InvitationColumn,
  type InvitationGroup,
  type InvitationStatus,
  type MailState,
} from '@vestibule/contract/invitations';
import { NewInvitation, type InvitationLanguage } from '@vestibule/contract/invitations/new-invitation';
import { soonDays } from '@vestibule/contract/rules/limits';
import type { Role } from '@vestibule/contract/rules/role';
import {
  hasRow,
  rawSql,
  rowOf,
  rowsOf,
  scalarOf,
  scalarsOf,
  type Queryable,
} from '../../platform/database/database.ts';
import { findByKey } from '../../platform/database/find-by-key.ts';
import {
  bytes,
  defineTable,
  integer,
  timestamptz,
  text,
  uuid,
} from '../../platform/database/define-table.ts';
import { toContract } from '../../platform/database/to-contract.ts';
import type { ExportedColumn, ListSource, Scope } from '../../platform/lists/list-source.ts';
import { fail } from '../../platform/errors/failure.ts';
import type { CallerOrganization } from '../../platform/http/implement.ts';
import { valuesOf } from '../../platform/values-of.ts';
import { adviseOnMail } from '../mail/mail-advice.ts';
import type { CurrentSettings } from '../settings/settings-store.ts';

/** Stored columns. A new field needs a line here and a migration; the compiler reports the other places. */
export const invitationTable = defineTable('invitations', {
  inserted: {
    id: uuid(),
    email: text(),
    emailCanonical: text(),
    name: text(),
    role: text<Role>(),
    message: text(),
    language: text<InvitationLanguage>(),
    lifetimeDays: integer<number | null>(),
    mailState: text<MailState>(),
    createdAt: timestamptz(),
    createdBy: text<string | null>(),
    expiresAt: timestamptz(),
    batchId: uuid<string | null>(),
    organizationId: uuid<string | null>(),
    organizationRoleId: text<string | null>(),
    createdById: uuid<string | null>(),
  },
  unread: { codeHash: bytes() },
  defaulted: {
    /** `replaced`: a later invitation replaced this one. All statuses but `pending` are final, which the database enforces. */
    status: text<'pending' | 'redeemed' | 'revoked' | 'replaced'>(),
    mailError: text<string | null>(),
    openedAt: timestamptz<Date | null>(),
    redeemedAt: timestamptz<Date | null>(),
    revokedAt: timestamptz<Date | null>(),
    codeVersion: integer(),
    mailNumber: integer(),
    mailedAt: timestamptz<Date | null>(),
  },
  otherColumns: ['redeemedBy', 'mailFailedAt', 'sentAgainAt', 'newLinkAt', 'remindedAt'],
});

/** `organization_name` is absent in pages of lists. */
export type InvitationRow = typeof invitationTable.types.row & { organization_name?: string | null };

/** Defaults of an invitation without a mail. */
export const defaultInvitation = {
  ...NewInvitation.parse({ email: 'invitee@example.com' }),
  language: 'en' as const,
  lifetimeDays: null,
  mailState: 'none' as const,
  createdBy: null,
  createdById: null,
  batchId: null,
  organizationId: null,
  organizationRoleId: null,
};

export const invitationColumns = `${invitationTable.columns},
  (select organizations.name from organizations where organizations.id = organization_id) as organization_name`;

export const findInvitation = (database: Queryable, id: string) =>
  rowOf<InvitationRow>(database, { name: 'find-invitation' })`
    select ${rawSql(invitationColumns)} from invitations where id = ${id}`;

/** Returns a function that returns the name of an organization; null if there is none. */
export const findOrganizationNames = (database: Queryable, ids: readonly (string | null)[]) =>
  findByKey<string>(database, ids, {
    name: 'find-organization-names',
    text: 'select id as key, name as value from organizations where id = any($1)',
  });

/** Throws if the invitation does not exist, or is not one of the organization of the caller. */
export async function findInScope(
  database: Queryable,
  id: string,
  organization: CallerOrganization | null,
): Promise<InvitationRow> {
  const invitation = await findInvitation(database, id);
  if (!invitation || (organization !== null && invitation.organization_id !== organization.id))
    throw fail(invitationErrors.notFound);
  return invitation;
}

/** Returns the id of the person who redeemed the invitation; null if it is not redeemed or the person was removed. */
export const findRedeemer = (database: Queryable, id: string) =>
  scalarOf<string>(database, { name: 'find-redeemer' })`
    select people.id from invitations join people on people.id = redeemed_by where invitations.id = ${id}`;

/** Returns those of the ids that are invitations to the organization; all of them for the whole site. */
export async function selectInScope(database: Queryable, ids: string[], scope: Scope): Promise<string[]> {
  if (scope === 'site') return ids;
  return scalarsOf<string>(database, { name: 'select-invitations-of-organization' })`
    select id from invitations where id = any(${ids}) and organization_id = ${scope.organizationId} order by id`;
}

/** Returns rows in no particular order and skips unknown ids. */
export const findInvitations = (database: Queryable, ids: string[]) =>
  rowsOf<InvitationRow>(database, { name: 'find-invitations' })`
    select ${rawSql(invitationColumns)} from invitations where id = any(${ids})`;

/** `isReplaced` means that a renewal has replaced this code. */
export const findInvitationByCodeHash = async (
  database: Queryable,
  codeHash: Buffer,
): Promise<(InvitationRow & { isReplaced: boolean }) | null> =>
  rowOf<InvitationRow & { isReplaced: boolean }>(database, { name: 'find-invitation-by-code-hash' })`
    select ${rawSql(invitationColumns)}, code_hash <> ${codeHash} as "isReplaced" from invitations
    where code_hash = ${codeHash} or id = (select invitation_id from replaced_codes where code_hash = ${codeHash})`;

/** Returns a pending invitation to an address, first the one to the site, otherwise the newest invitation to it. Each subquery has an index. */
export function findLatestInvitation(
  database: Queryable,
  emailCanonical: string,
): Promise<InvitationRow | null> {
  const ofAddress = `select ${invitationColumns} from invitations where email_canonical = $1`;
  return rowOf<InvitationRow>(database, {
    name: 'find-latest-invitation',
    text: `select * from ((${ofAddress} and status = 'pending') union all
             (${ofAddress} and status <> 'pending' order by created_at desc limit 1)) as invitation
           order by status = 'pending' desc, organization_id is not null, created_at desc limit 1`,
    values: [emailCanonical],
  });
}

type InvitedAddress = { emailCanonical: string; organizationId: string | null };

export const replaceExpired = (
  transaction: Queryable,
  invited: readonly InvitedAddress[],
  at: Date,
): Promise<unknown> =>
  transaction.query({
    name: 'replace-expired-invitations',
    text: `update invitations set status = 'replaced'
           where id in (select id from invitations
                        join unnest($1::text[], $3::uuid[]) as invited (address, organization)
                          on email_canonical = address and organization_id is not distinct from organization
                        where ${isExpiredSql('$2')}
                        order by email_canonical for update of invitations)`,
    values: [valuesOf(invited, 'emailCanonical'), at, valuesOf(invited, 'organizationId')],
  });

/**
 * Inserts pending invitations and returns the inserted rows. Skips addresses of people (of members, if the invitation is to an
 * organization), addresses with an open invitation, and deleted organizations, also in concurrent transactions. Replaces expired
 * invitations.
 */
export async function insertInvitations(
  transaction: Queryable,
  invitations: (typeof invitationTable.types.newRow)[],
  at: Date,
): Promise<InvitationRow[]> {
  // Rows are locked in the order of addresses, which avoids deadlocks between two inserts.
  // For `not exists`, PostgreSQL reads all of up to 10,000 people, as it expects 100 invitations; for `is null`, it uses an index.
  const [, { rows }, members] = await Promise.all([
    replaceExpired(transaction, invitations, at),
    transaction.query<InvitationRow>({
      name: 'insert-invitations',
      text: `${invitationTable.insert}
             where case when new_rows.organization_id is null
               then (select people.id from people where people.email_canonical = new_rows.email_canonical) is null
               else exists (select from organizations where id = new_rows.organization_id for key share)
                 and (select person_id from people join memberships on person_id = people.id
                   where people.email_canonical = new_rows.email_canonical
                     and memberships.organization_id = new_rows.organization_id) is null end
             order by new_rows.email_canonical
             on conflict do nothing
             returning ${invitationColumns}`,
      values: [invitationTable.parameter(invitations)],
    }),
    // The insert may have waited for a redemption, which has created a person.
    rowsOf<{ id: string }>(transaction, { name: 'remove-invitations-of-members' })`
      delete from invitations using people
      where invitations.id = any(${valuesOf(invitations, 'id')})
        and people.email_canonical = invitations.email_canonical and organization_id is null
      returning invitations.id`,
  ]);
  const ofMembers = new Set(valuesOf(members, 'id'));
  return rows.filter(({ id }) => !ofMembers.has(id));
}

/** Returns whether the address is that of a person, or of a member of the organization. */
export const isMember = (database: Queryable, { emailCanonical, organizationId }: InvitedAddress) =>
  hasRow(database)`
    select from people where email_canonical = ${emailCanonical} and (${organizationId}::uuid is null
    or exists (select from memberships where person_id = people.id and organization_id = ${organizationId}))`;

/** Revokes pending invitations, also expired ones, and cancels their queued mails. Returns the revoked rows. */
export async function revokeInvitations(
  transaction: Queryable,
  selection: { ids: string[] } | { batchId: string } | { organizationId: string },
  at: Date,
): Promise<InvitationRow[]> {
  const [condition, value] =
    'ids' in selection
      ? ['id = any($1)', selection.ids]
      : 'batchId' in selection
        ? ['batch_id = $1', selection.batchId]
        : ['organization_id = $1', selection.organizationId];
  return rowsOf<InvitationRow>(transaction, {
    text: `update invitations set status = 'revoked', revoked_at = $2,
             mail_state = case mail_state when 'queued' then 'none' else mail_state end
           where status = 'pending' and id in (
             select id from invitations where ${condition} and status = 'pending' order by email_canonical for update)
           returning ${invitationColumns}`,
    values: [value, at],
  });
}

/** Returns the status shown to users: "opened" and "expired" are derived from timestamps. */
export function shownStatus(row: InvitationRow, now: number): InvitationStatus {
  if (row.status !== 'pending') return row.status;
  if (row.expires_at.getTime() <= now) return 'expired';
  return row.opened_at ? 'opened' : 'pending';
}

/** Returns whether an invitee must enter a mailed code before creating a passkey, because a link can be forwarded. */
export const needsCodeFirst = (
  role: Role,
  { codeBeforePasskey }: Pick<CurrentSettings, 'codeBeforePasskey'>,
): boolean => role === 'admin' || codeBeforePasskey;

export const isOpen = (row: InvitationRow, now: number): boolean =>
  row.status === 'pending' && row.expires_at.getTime() > now;

export async function findOpenInvitation(
  database: Queryable,
  id: string | null,
  now: number,
): Promise<InvitationRow | null> {
  const invitation = id === null ? null : await findInvitation(database, id);
  return invitation && isOpen(invitation, now) ? invitation : null;
}

/** SQL of `isOpen`; `at` is a parameter. */
export const isOpenSql = (at: string) => `status = 'pending' and expires_at > ${at}`;
export const isExpiredSql = (at: string) => `status = 'pending' and expires_at <= ${at}`;

const isPendingAt = isOpenSql('$now');

/** SQL of `shownStatus`; `$now` is a placeholder for the current time. */
const shownStatusConditions: Record<InvitationStatus, string> = {
  pending: `${isPendingAt} and opened_at is null`,
  opened: `${isPendingAt} and opened_at is not null`,
  expired: isExpiredSql('$now'),
  redeemed: `status = 'redeemed'`,
  revoked: `status = 'revoked'`,
  replaced: `status = 'replaced'`,
};

export const invitationList: ListSource<InvitationColumn, ExportedColumn, InvitationGroup> = {
  table: 'invitations',
  organization: 'organization_id',
  organizationOrders: ['created_at'],
  columns: {
    email: { kind: 'text', searched: true, folded: true, label: 'E-mail' },
    name: { kind: 'text', searched: true, folded: true, label: 'Name' },
    role: { kind: 'set', label: 'Role', words: { admin: 'Administrator', member: 'Member' } },
    status: {
      kind: 'set',
      values: shownStatusConditions,
      label: 'Status',
      words: {
        pending: 'Pending',
        opened: 'Opened',
        redeemed: 'Redeemed',
        expired: 'Expired',
        revoked: 'Revoked',
        replaced: 'Replaced',
      } satisfies Record<InvitationStatus, string>,
    },
    mailState: {
      kind: 'set',
      label: 'Delivery',
      words: { none: 'No e-mail', queued: 'Queued', sent: 'Sent', failed: 'Failed' } satisfies Record<
        MailState,
        string
      >,
    },
    language: { kind: 'set', label: 'Language', words: { en: 'English', de: 'German' } },
    createdAt: { kind: 'date', label: 'Invited' },
    createdBy: { kind: 'text', isRepeated: true, label: 'Invited by' },
    expiresAt: { kind: 'date', label: 'Expires' },
    mailedAt: { kind: 'date', label: 'E-mailed' },
    openedAt: { kind: 'date', label: 'Opened' },
    redeemedAt: { kind: 'date', label: 'Redeemed' },
    batchId: { kind: 'id', label: 'Batch' },
    organizationId: { kind: 'id', label: 'Organization' },
  },
  groups: {
    waiting: isPendingAt,
    // Rounded to a quarter of an hour, like the counts of the dashboard.
    expiring: `${isPendingAt} and expires_at < quarter_of($now + interval '${soonDays} days')`,
    failed: `${isPendingAt} and mail_state = 'failed'`,
    expired: shownStatusConditions.expired,
    joined: shownStatusConditions.redeemed,
  },
  newestFirst: 'created_at',
};

const stored = toContract(Invitation);

export function toInvitation(row: InvitationRow, now: number): Invitation {
  const mailAdviceText = row.mail_error === null ? null : adviseOnMail(row.mail_error);
  return {
    ...stored(row),
    status: shownStatus(row, now),
    mailAdvice: mailAdviceText?.message ?? null,
    mailAdviceText,
  };
}
