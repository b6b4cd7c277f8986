/** Invitations by the server: the first administrator while there are no people (statement F4), and `invite-administrator`. */
import { invitationAudit, serverOrigin } from '../../../platform/audit/audit-log.ts';
import { advisoryLocks } from '../../../platform/database/advisory-locks.ts';
import {
  execute,
  rawSql,
  rowsOf,
  type CoreDeps,
  type Queryable,
} from '../../../platform/database/database.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { revokeAndRecord } from '../lifecycle/lifecycle.ts';
import { dayMs } from '../../../platform/time-units.ts';
import { insertInvitations, isOpenSql, defaultInvitation } from '../invitation-store.ts';
import { invitationLink, type ShortCodes } from '../link/short-code.ts';

type Deps = CoreDeps & { shortCodes: ShortCodes; publicUrl: string; lifetimeDays: number };

/** Returns the link to print, or null if there are people. There is no default password. */
export async function inviteFirstAdministrator(deps: Deps & { adminEmail: string }): Promise<string | null> {
  const emailCanonical = canonicalEmail(deps.adminEmail);
  if (emailCanonical === null) throw new Error(`ADMIN_EMAIL ${deps.adminEmail} is not an acceptable address`);
  const at = deps.now();
  return deps.database.transaction(async (transaction) => {
    await execute(transaction)`select pg_advisory_xact_lock(${advisoryLocks.firstAdministrator})`;
    const people = await rowsOf(transaction, 'select from people limit 1');
    if (people.length > 0) return null;
    const rows = await rowsOf<{ id: string; code_version: number }>(transaction)`
      select id, code_version from invitations
      where email_canonical = ${emailCanonical} and role = 'admin' and ${rawSql(isOpenSql, new Date(at))}`;
    if (rows[0]) return invitationLink(deps.publicUrl, deps.shortCodes, rows[0]);
    // Revokes pending invitations to an earlier ADMIN_EMAIL, and an open invitation to the current ADMIN_EMAIL with the
    // role `member`. The insert below replaces expired invitations.
    const conflicting = await rowsOf<{ id: string }>(transaction)`
      select id from invitations
      where status = 'pending' and organization_id is null
        and case email_canonical when ${emailCanonical} then expires_at > ${new Date(at)} else created_by is null end`;
    const address = { email: deps.adminEmail, emailCanonical };
    return replaceInvitations(deps, transaction, conflicting, address, 'start', { first: true });
  });
}

/** Replaces a pending invitation to an address without an account. Returns the link. */
export async function inviteAdministrator(
  deps: Deps,
  transaction: Queryable,
  address: { email: string; emailCanonical: string },
  cause: string,
): Promise<string> {
  const pending = await rowsOf<{ id: string }>(transaction)`
    select id from invitations
    where email_canonical = ${address.emailCanonical} and organization_id is null
      and ${rawSql(isOpenSql, new Date(deps.now()))}`;
  return replaceInvitations(deps, transaction, pending, address, cause);
}

async function replaceInvitations(
  deps: Deps,
  transaction: Queryable,
  revoked: { id: string }[],
  address: { email: string; emailCanonical: string },
  cause: string,
  detail: Record<string, unknown> = {},
): Promise<string> {
  const at = deps.now();
  const actor = { caller: null, origin: serverOrigin(cause) };
  await revokeAndRecord(deps, transaction, { ids: valuesOf(revoked, 'id') }, actor);
  const id = deps.newId();
  const invitation = {
    ...defaultInvitation,
    id,
    codeHash: deps.shortCodes.hashOf(deps.shortCodes.codeOf(id)),
    ...address,
    role: 'admin' as const,
    createdAt: new Date(at),
    expiresAt: new Date(at + deps.lifetimeDays * dayMs),
  };
  await insertInvitations(transaction, [invitation], new Date(at));
  await invitationAudit.record(transaction, invitation, 'invitation.created', actor, {
    role: 'admin',
    ...detail,
  });
  return invitationLink(deps.publicUrl, deps.shortCodes, { id, code_version: 0 });
}
