/** Erases people without an account. Can be repeated. docs/decisions/015-erasure-and-archives.md explains why the log still verifies. */
import { removedErrors } from '@vestibule/contract/people/removed';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { redactArchiveFile, type RedactRow } from '../../../platform/audit/archive-file.ts';
import { eraseInAuditLog } from '../../../platform/audit/audit-erasure.ts';
import { recordChange } from '../../../platform/audit/audit-log.ts';
import { auditKey, createAuditSeals } from '../../../platform/audit/audit-seals.ts';
import { advisoryLocks } from '../../../platform/database/advisory-locks.ts';
import {
  execute,
  rawSql,
  rowOf,
  rowsOf,
  type Database,
  type DatabaseDeps,
} from '../../../platform/database/database.ts';
import { replaceEverywhere } from '../../../platform/database/replace-everywhere.ts';
import { fail } from '../../../platform/errors/failure.ts';
import type { Hooks } from '../../../platform/extensions/hooks.ts';
import type { Actor } from '../../../platform/http/implement.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { lockAdministrators } from '../person-changes.ts';
import { createRedaction, erasedPlaceholder } from './erasure-redaction.ts';
import { findTraces, type PersonTraces } from './erasure-traces.ts';

export type ErasureDeps = DatabaseDeps & {
  secret: Buffer;
  archiveDirectory: string;
  hooks: Hooks;
  settings: { current(): Promise<{ supportEmail: string; senderAddress: string }> };
};

/** Rewriting a file of ten thousand rows takes about a second. */
const fileLimit = { withinMs: 60_000 };
/** Handled separately, below or in the audit log. */
const excludedTables = [
  'audit_log',
  'audit_chain',
  'audit_seals',
  'audit_archives',
  'removed_people',
  'rate_limits',
];

export async function eraseByEmail(
  deps: ErasureDeps,
  email: string,
  actor: Actor,
): Promise<{ pseudonym: string; entries: number; missingFiles: string[] }> {
  const { database } = deps;
  const key = auditKey(deps.secret);
  const canonical = canonicalEmail(email) ?? email.toLowerCase();
  const { supportEmail, senderAddress } = await deps.settings.current();
  if ([supportEmail, senderAddress].some((address) => canonicalEmail(address) === canonical))
    throw fail(removedErrors.addressInUse);

  const pseudonym = `Erased person ${randomBytes(4).toString('hex')}`;
  const traces = await findTraces(database, email, canonical);
  await startErasure(deps, { canonical, pseudonym, traces }, actor);
  await eraseRows(database, traces, pseudonym, new Date(deps.now()));
  const redaction = createRedaction(traces, pseudonym);
  // Entries sealed by version 1.0.0 are compared with their seals before they change.
  await createAuditSeals(database, deps.secret).seal();
  const entries = await eraseInAuditLog(database, key, affectedEntries(traces), redaction.redactEntry);
  const archive = await eraseInArchive(deps, redaction.redactRow);
  await execute(database)`
    delete from removed_people where email_canonical = ${canonical} or id = any(${traces.personIds})`;
  return { pseudonym, entries: entries + archive.lines, missingFiles: archive.missing };
}

/** Revokes pending invitations, throws if the person has an account, and records the erasure without the name. */
const startErasure = (
  { database, hooks, now }: ErasureDeps,
  { canonical, pseudonym, traces }: { canonical: string; pseudonym: string; traces: PersonTraces },
  { caller, origin }: Actor,
): Promise<void> =>
  database.transaction(async (transaction) => {
    // Revoked first: a concurrent redemption has either created the account by then, or finds no pending invitation.
    await execute(transaction)`
      update invitations set status = 'revoked', revoked_at = ${new Date(now())},
        mail_state = case mail_state when 'queued' then 'none' else mail_state end
      where email_canonical = ${canonical} and status = 'pending'`;
    const rows = await rowsOf(transaction)`
      select from people where email_canonical = ${canonical} or id = any(${traces.personIds})`;
    if (rows.length > 0) throw fail(removedErrors.stillInside);
    const search = await rowOf<{ found: boolean }>(transaction)`
      select ${traces.personIds.length + traces.invitationIds.length > 0} or exists (select from invitations
        where email_canonical = ${canonical})
      or exists (select from directory_users where email_canonical = ${canonical})
      or exists (select from organization_directory_users where email_canonical = ${canonical})
      or exists (select from membership_requests where email_canonical = ${canonical})
      or exists (select from retention_archives)
      or exists (select from audit_log where target_type = 'invitation'
        and lower(target_label) = any(${traces.addresses})) as found`;
    if (!search?.found) throw fail(removedErrors.nothingToErase);
    await hooks.call('personErased', transaction, [{ personIds: traces.personIds }]);
    await recordChange(transaction, {
      action: 'person.erased',
      actor: caller,
      target: { type: 'person', id: traces.personIds[0] ?? randomUUID(), label: pseudonym },
      origin,
      // External programs may have stored these ids.
      detail: { personIds: traces.personIds, invitationIds: traces.invitationIds },
    });
  });

async function eraseRows(
  database: Database,
  traces: PersonTraces,
  pseudonym: string,
  at: Date,
): Promise<void> {
  const { addresses, invitationIds, networks } = traces;
  await execute(database)`
    update invitation_events set note = null where invitation_id = any(${invitationIds}::uuid[])`;
  await execute(database)`
    update invitations set email = ${pseudonym}, email_canonical = ${pseudonym}, name = '', message = '',
      mail_error = null
    where id = any(${invitationIds}::uuid[])`;
  await execute(database)`
    update attachments set owner_name = ${pseudonym}, owner_email = ${pseudonym}
      where lower(owner_email) = any(${addresses})`;
  await execute(database)`
    update removed_people set removed_by = ${pseudonym} where lower(removed_by) = any(${addresses})`;
  await execute(database)`delete from sign_in_transactions where address = any(${addresses})`;
  await execute(database)`
    delete from membership_requests where email_canonical = any(${addresses}) and person_id is null`;
  // Deleting a user changes directory groups; their changes take this lock.
  await database.transaction(async (transaction) => {
    await lockAdministrators(transaction);
    for (const table of ['directory_users', 'organization_directory_users'])
      await execute(transaction)`delete from ${rawSql(table)} where email_canonical = any(${addresses})`;
  });
  const limited = [...addresses, ...traces.networkAddresses].map((address) => `%:${escapeLike(address)}`);
  await execute(database)`delete from rate_limits where ends_at <= ${at} or key ilike any(${limited})`;
  // Rows from before the erasure are pseudonymized by now. Rows of a newer invitation to the same address must not change.
  const belongsToAccount = 'person_id in (select id from people where email_canonical = any($5))';
  const unchangedRows = {
    tables: {
      'public.invitations': `email_canonical = any($5) and status in ('pending', 'redeemed')`,
      'public.people': 'email_canonical = any($5)',
      'public.identities': belongsToAccount,
      'public.sessions': belongsToAccount,
    },
    value: addresses,
  };
  const options = { except: excludedTables, keep: unchangedRows };
  for (const pattern of traces.everywhere) await replaceEverywhere(database, pattern, pseudonym, options);
  if (networks) await replaceEverywhere(database, networks, erasedPlaceholder, options);
}

const escapeLike = (text: string) => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

function affectedEntries({ personIds, invitationIds, everywhere, networks }: PersonTraces) {
  const patterns = [...everywhere, ...(networks ? [networks] : [])].map(({ postgres }) => postgres);
  return {
    where: `actor_id = any($3::uuid[]) or (target_type = 'person' and target_id = any($3::text[]))
      or (target_type = 'invitation' and target_id = any($4::text[]))
      or concat_ws(' ', actor_label, target_label, address, detail::text) ~* any($5::text[])`,
    values: [personIds, invitationIds, patterns],
  };
}

async function eraseInArchive(
  { database, secret, archiveDirectory }: ErasureDeps,
  redact: RedactRow,
): Promise<{ lines: number; missing: string[] }> {
  const rows = await rowsOf<{ file: string; reserved: boolean }>(
    database,
    'select file, row_count = 0 as reserved from retention_archives order by file',
  );
  const missing: string[] = [];
  let lines = 0;
  for (const { file, reserved } of rows) {
    const filePath = path.join(archiveDirectory, file);
    if (existsSync(filePath))
      lines += await database.transaction(async (transaction) => {
        await execute(transaction)`select pg_advisory_xact_lock(${advisoryLocks.archives})`;
        return redactArchiveFile(auditKey(secret), filePath, redact);
      }, fileLimit);
    else if (!reserved) missing.push(file);
  }
  return { lines, missing };
}
