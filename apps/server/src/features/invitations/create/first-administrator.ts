/** Invites the first administrator while there are no people (statement F4). There is no default password. */
import { aboutInvitation, recordChange, serverOrigin } from '../../../platform/audit/audit-log.ts';
import { advisoryLocks } from '../../../platform/database/advisory-locks.ts';
import { execute, rowsOf, type CoreDeps } from '../../../platform/database/database.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { revokeAndRecord } from '../lifecycle/lifecycle.ts';
import { dayMs } from './create-invitations.ts';
import { insertInvitations, isOpenSql, defaultInvitation } from '../invitation-store.ts';
import { invitationLink, type ShortCodes } from '../link/short-code.ts';

/** Returns the link to print, or null if there are people. */
export async function inviteFirstAdministrator(
  deps: CoreDeps & { shortCodes: ShortCodes; publicUrl: string; adminEmail: string; lifetimeDays: number },
): Promise<string | null> {
  const emailCanonical = canonicalEmail(deps.adminEmail);
  if (emailCanonical === null) throw new Error(`ADMIN_EMAIL ${deps.adminEmail} is not an acceptable address`);
  const at = deps.now();
  const invitation = await deps.database.transaction(async (transaction) => {
    await execute(transaction, 'select pg_advisory_xact_lock($1)', [advisoryLocks.firstAdministrator]);
    const people = await rowsOf(transaction, 'select from people limit 1');
    if (people.length > 0) return null;
    const rows = await rowsOf<{ id: string; code_version: number }>(transaction, {
      text: `select id, code_version from invitations
             where email_canonical = $1 and role = 'admin' and ${isOpenSql('$2')}`,
      values: [emailCanonical, new Date(at)],
    });
    if (rows[0]) return rows[0];
    // Revokes pending invitations to an earlier ADMIN_EMAIL, and an open invitation to the current ADMIN_EMAIL with the
    // role `member`. The insert below replaces expired invitations.
    const conflicting = await rowsOf<{ id: string }>(transaction, {
      text: `select id from invitations
             where status = 'pending' and organization_id is null
               and case email_canonical when $2 then expires_at > $1 else created_by is null end`,
      values: [new Date(at), emailCanonical],
    });
    const actor = { caller: null, origin: serverOrigin('start') };
    await revokeAndRecord(deps, transaction, valuesOf(conflicting, 'id'), actor);
    const id = deps.newId();
    const newInvitation = {
      ...defaultInvitation,
      id,
      codeHash: deps.shortCodes.hashOf(deps.shortCodes.codeOf(id)),
      email: deps.adminEmail,
      emailCanonical,
      role: 'admin' as const,
      createdAt: new Date(at),
      expiresAt: new Date(at + deps.lifetimeDays * dayMs),
    };
    await insertInvitations(transaction, [newInvitation], new Date(at));
    const detail = { role: 'admin', first: true };
    await recordChange(transaction, aboutInvitation(newInvitation, 'invitation.created', actor, detail));
    return { id, code_version: 0 };
  });
  return invitation === null ? null : invitationLink(deps.publicUrl, deps.shortCodes, invitation);
}
