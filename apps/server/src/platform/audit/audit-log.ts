/** Writes the audit log, always inside the transaction of the change: without an entry there is no change. */
import { jsonParameter, type Queryable } from '../database/database.ts';
import type { Caller, CallerOrganization, Origin } from '../http/implement.ts';

/** Origin of a change without a request, such as by a timer or a job. `cause` names it, such as `reminder`. */
export const serverOrigin = (cause: string): Origin => ({ requestId: cause, address: 'local' });

export type AuditEntry = {
  /** `area.what_happened`, such as `invitation.revoked`. */
  action: string;
  /** Null for the server itself. */
  actor: Pick<Caller, 'id' | 'email' | 'token'> | null;
  target: { type: string; id: string; label: string };
  origin: Origin;
  /** Organization of the change. */
  organization?:
    | (Pick<CallerOrganization, 'id' | 'name'> & Partial<Pick<CallerOrganization, 'asSiteAdministrator'>>)
    | null
    | undefined;
  /** `before` and `after` by field. Never contains codes, tokens or message texts. */
  detail?: Record<string, unknown>;
};

export const recordChange = (transaction: Queryable, entry: AuditEntry): Promise<void> =>
  recordChanges(transaction, [entry]);

/** Records several entries, in order. */
export async function recordChanges(transaction: Queryable, entries: AuditEntry[]): Promise<void> {
  await transaction.query({
    name: 'record-changes',
    text: `insert into audit_log (action, actor_id, actor_label, target_type, target_id, target_label, address, request_id, detail)
           select * from jsonb_to_recordset($1) as entry (action text, actor_id uuid, actor_label text,
             target_type text, target_id text, target_label text, address text, request_id text, detail jsonb)`,
    values: [
      jsonParameter(
        entries.map(({ action, actor, target, origin, organization, detail }) => ({
          action,
          actor_id: actor?.id ?? null,
          actor_label: actor?.email ?? 'Vestibule',
          target_type: target.type,
          target_id: target.id,
          target_label: target.label,
          address: origin.address,
          request_id: origin.requestId,
          // An action by an API token must remain distinguishable from one by its owner.
          detail: {
            ...detail,
            ...(organization && {
              organization: {
                id: organization.id,
                name: organization.name,
                ...(organization.asSiteAdministrator && { asSiteAdministrator: true }),
              },
            }),
            ...(actor?.token && { token: { id: actor.token.id, name: actor.token.name } }),
          },
        })),
      ),
    ],
  });
}

/** Records one entry for each element of `all`. */
export const recordEach = <One>(
  transaction: Queryable,
  all: readonly One[],
  entryOf: (one: One) => AuditEntry,
): Promise<void> =>
  recordChanges(
    transaction,
    all.map((one) => entryOf(one)),
  );

/** Actor of a change, the origin of the request and the organization in which it is made. */
type EntryContext = Pick<AuditEntry, 'origin' | 'organization'> & { caller: AuditEntry['actor'] };

/** Adds a function that records the entry in the transaction of the change. */
const withRecord = <Values extends unknown[]>(entry: (...values: Values) => AuditEntry) => ({
  entry,
  record: (transaction: Queryable, ...values: Values) => recordChanges(transaction, [entry(...values)]),
});

/** Returns functions for entries about targets of a type. The property `label` identifies a target for people. */
export const auditOf = <Label extends string>(type: string, label: Label) =>
  withRecord(
    (
      target: { id: string } & { [Name in Label]: string | null },
      action: string,
      { caller, origin, organization }: EntryContext,
      detail: AuditEntry['detail'] = {},
    ): AuditEntry => ({
      action,
      actor: caller,
      target: { type, id: target.id, label: target[label] ?? target.id },
      origin,
      organization,
      detail,
    }),
  );

export const personAudit = auditOf('person', 'email');
export const tokenAudit = auditOf('token', 'name');
export const organizationAudit = auditOf('organization', 'name');
export const settingsAudit = auditOf('settings', 'label');

const siteInvitationAudit = auditOf('invitation', 'email');

type AuditedInvitation = {
  id: string;
  email: string;
  organization_id?: string | null;
  organization_name?: string | null;
};

/** Entries about invitations to an organization name it. `organization`: the caller's, in a call of a member of the organization. */
export const invitationAudit = withRecord(
  (
    invitation: AuditedInvitation,
    action: string,
    context: Omit<EntryContext, 'organization'> & { organization?: CallerOrganization | null },
    detail?: AuditEntry['detail'],
  ): AuditEntry => {
    const { organization_id: id, organization_name: name } = invitation;
    const asSiteAdministrator = context.organization?.asSiteAdministrator ?? context.organization === null;
    return {
      ...siteInvitationAudit.entry(invitation, action, context, detail),
      organization: id && name ? { id, name, asSiteAdministrator } : null,
    };
  },
);

/** Row as read from the database. */
export type AuditRow = {
  id: number;
  at: Date;
  actor_id: string | null;
  actor_label: string;
  action: string;
  target_type: string;
  target_id: string;
  target_label: string;
  address: string;
  request_id: string;
  detail: Record<string, unknown>;
};

export const auditColumns =
  'id, at, actor_id, actor_label, action, target_type, target_id, target_label, address, request_id, detail';

/** Converts a row to the contract's `Activity`. */
export function toActivity(row: AuditRow) {
  const token = row.detail['token'] as { name?: string } | undefined;
  return {
    id: row.id,
    at: row.at.toISOString(),
    actor: row.actor_label,
    tokenName: token?.name ?? null,
    action: row.action,
    target: row.target_label,
    targetType: row.target_type,
    targetId: row.target_id,
    address: row.address,
    requestId: row.request_id,
    detail: row.detail,
  };
}
