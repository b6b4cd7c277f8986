/**
 * Actions on invitations: resend, renew, change the address, revoke, and bulk actions. A renewal creates a new code, so that
 * an old mail gives no access. The old link is reported as expired; a new link can be requested by mail (statement D15).
 */
import {
  actOnInvitations,
  changeInvitationAddress,
  invitationErrors,
  renewInvitation,
  resendInvitation,
  revokeInvitation,
  type InvitationsAction,
} from '@vestibule/contract/invitations';
import { invitationSkipped } from '@vestibule/contract/invitations/texts';
import {
  actOnOrganizationInvitations,
  changeOrganizationInvitationAddress,
  renewOrganizationInvitation,
  resendOrganizationInvitation,
  revokeOrganizationInvitation,
} from '@vestibule/contract/invitations/in-organization';
import { invitationSkipReason } from '@vestibule/contract/rules/skipped';
import type { MessageDefinition } from '@vestibule/contract/texts/text';
import { invitationAudit, recordEach } from '../../../platform/audit/audit-log.ts';
import { runBulkAction, describeSkipped } from '../../../platform/lists/bulk-action.ts';
import { retryOnDeadlock, type Queryable, type DatabaseDeps } from '../../../platform/database/database.ts';
import type { ListReader } from '../../../platform/lists/list-page.ts';
import { fail, onUniqueViolation } from '../../../platform/errors/failure.ts';
import { requireRecentAuth } from '../../../platform/http/access.ts';
import {
  implementInScopes,
  type Caller,
  type CallerOrganization,
  type Implementation,
  type ScopedActor,
} from '../../../platform/http/implement.ts';
import type { Scope } from '../../../platform/lists/list-source.ts';
import type { MailQueue } from '../../../platform/mail/mail-queue.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { splitIntoChunks } from '../create/batch-store.ts';
import { isAllowed, requireAllowed, requireCanonical } from '../create/check-rows.ts';
import { dayMs } from '../../../platform/time-units.ts';
import { invitationMailJob } from '../invitation-mail.ts';
import type { CurrentSettings, SettingsStore } from '../../settings/settings-store.ts';
import {
  changeAddress,
  lockOpenInvitation,
  lockRenewable,
  renewInvitations,
  resendInvitationMail,
  secondsUntilResend,
} from './follow-ups.ts';
import {
  findInScope,
  findInvitations,
  isMember,
  isOpen,
  replaceExpired,
  revokeInvitations,
  selectInScope,
  shownStatus,
  toInvitation,
  type InvitationRow,
} from '../invitation-store.ts';
import { findSuspended, isOrganizationOpen } from '../redemption-store.ts';
import type { ShortCodes } from '../link/short-code.ts';
import { requireGivableRole, scopeOf, type CountSending, type RoleReaderDeps } from '../scope.ts';

type Deps = DatabaseDeps &
  RoleReaderDeps & {
    mail: MailQueue;
    shortCodes: ShortCodes;
    settings: SettingsStore;
    countSending: CountSending;
    listIn: (scope: Scope) => ListReader<InvitationRow>;
  };

type Actions = Record<
  InvitationsAction,
  (
    transaction: Queryable,
    ids: string[],
    rules: CurrentSettings,
    context: ScopedActor,
  ) => Promise<InvitationRow[]>
>;

export function lifecycleRoutes(deps: Deps): Implementation[] {
  const { database, now } = deps;

  /** Each action skips ineligible invitations and returns the changed ones. */
  const actions: Actions = {
    resend: (transaction, ids, { resendsPerHour: perHour }, context) =>
      resendInvitationMail(deps, transaction, { ids, perHour, ...context }),
    renew: (transaction, ids, rules, context) => renew(deps, transaction, ids, { rules, ...context }),
    revoke: (transaction, ids, _rules, context) => revokeAndRecord(deps, transaction, { ids }, context),
  };

  return [
    ...implementInScopes(resendInvitation, resendOrganizationInvitation, async (call) => {
      const { invitationId } = call.params;
      const { resendsPerHour: perHour } = await deps.settings.current();
      const ids = await selectInScope(database, [invitationId], scopeOf(call.organization));
      const [sent] = await retryOnDeadlock(database, (transaction) =>
        resendInvitationMail(deps, transaction, { ids, perHour, ...call }),
      );
      if (sent) return toInvitation(sent, now());
      const invitation = await requireOpenInvitation(call);
      await requireOpenOrganizationOf(invitation);
      if (!deps.mail.sends) throw fail(invitationErrors.mailsAreOff);
      if (invitation.mail_state === 'queued') throw fail(invitationErrors.mailOnItsWay);
      const seconds = await secondsUntilResend(database, invitationId, { perHour, at: new Date(now()) });
      throw fail(invitationErrors.sentTooOften, { retryAfterSeconds: Math.max(1, seconds) });
    }),

    ...implementInScopes(renewInvitation, renewOrganizationInvitation, async (call) => {
      const rules = await deps.settings.current();
      const invitation = await requireInvitation(call);
      if (invitation.status === 'replaced') throw fail(invitationErrors.replaced);
      if (shownStatus(invitation, now()) !== 'expired') throw fail(invitationErrors.notExpired);
      await requireOpenOrganizationOf(invitation);
      requireAllowed(invitation.email_canonical, rules);
      await deps.countSending(call.caller, call.organization, [invitation.email_canonical]);
      const [renewed] = await database.transaction((transaction) =>
        renew(deps, transaction, [invitation.id], { rules, ...call.body, ...call }),
      );
      if (renewed) return toInvitation(renewed, now());
      throw fail(
        (await isMember(database, addressOf(invitation)))
          ? invitationErrors.alreadyMember
          : invitationErrors.notExpired,
      );
    }),

    ...implementInScopes(changeInvitationAddress, changeOrganizationInvitationAddress, async (call) => {
      const { body, caller } = call;
      const emailCanonical = requireCanonical(body.email);
      const before = await requireOpenInvitation(call);
      await requireOpenOrganizationOf(before);
      await requireGivableRole(deps, call.organization, before);
      if (before.email_canonical === emailCanonical) throw fail(invitationErrors.sameAddress);
      requireAllowed(emailCanonical, await deps.settings.current());
      await deps.countSending(caller, call.organization, [emailCanonical]);
      const to = { ...addressOf(before), emailCanonical };
      const change = retryOnDeadlock(database, async (transaction) => {
        const at = new Date(now());
        // Same lock order as inviting, which avoids most deadlocks.
        await replaceExpired(transaction, [to], at);
        const locked = await lockOpenInvitation(transaction, before.id, at);
        if (!locked) throw fail(invitationErrors.notPending);
        if (locked.role === 'admin') requireRecentAuth(caller, now());
        const row = await replaceAddress(deps, transaction, locked, { email: body.email, emailCanonical });
        // Checked last: the update may have waited for a redemption of an invitation to the address.
        if (await isMember(transaction, to)) throw fail(invitationErrors.alreadyMember);
        const detail = { from: locked.email, to: row.email };
        await invitationAudit.record(transaction, row, 'invitation.address_changed', call, detail);
        return row;
      });
      return toInvitation(await change.catch(rejectIfInvitedToSite).catch(rejectIfInvited), now());
    }),

    ...implementInScopes(revokeInvitation, revokeOrganizationInvitation, async (call) => {
      const { id } = await requireInvitation(call);
      const [revoked] = await database.transaction((transaction) =>
        revokeAndRecord(deps, transaction, { ids: [id] }, call),
      );
      if (revoked) return toInvitation(revoked, now());
      throw fail(invitationErrors.notPending);
    }),

    ...actingRoutes(deps, actions),
  ];

  type InvitationCall = { params: { invitationId: string }; organization: CallerOrganization | null };

  /** Throws if the invitation does not exist in the scope of the call. */
  async function requireInvitation({ params, organization }: InvitationCall): Promise<InvitationRow> {
    return findInScope(database, params.invitationId, organization);
  }

  async function requireOpenInvitation(call: InvitationCall): Promise<InvitationRow> {
    const invitation = await requireInvitation(call);
    if (!isOpen(invitation, now())) throw fail(invitationErrors.notPending);
    return invitation;
  }

  async function requireOpenOrganizationOf({ organization_id: id }: InvitationRow): Promise<void> {
    if (!(await isOrganizationOpen(database, id, new Date(now()))))
      throw fail(invitationErrors.organizationSuspended);
  }
}

function actingRoutes(deps: Deps, actions: Actions): Implementation[] {
  const { database, now } = deps;
  return [
    ...implementInScopes(actOnInvitations, actOnOrganizationInvitations, async ({ body, ...call }) => {
      const { action, selection } = body;
      const scope = scopeOf(call.organization);
      const rules = await deps.settings.current();
      const runAction = async (asked: string[]) => {
        const ids = await selectInScope(database, asked, scope);
        const rows = await retryOnDeadlock(database, (transaction) =>
          actions[action](transaction, ids, rules, call),
        );
        const changed = new Set(valuesOf(rows, 'id'));
        const unchangedIds = ids.filter((id) => !changed.has(id));
        const [unchanged, suspended] = await Promise.all([
          findInvitations(database, unchangedIds),
          findSuspended(database, unchangedIds, new Date(now())),
        ]);
        const found = new Map(unchanged.map((row) => [row.id, row]));
        return asked
          .filter((id) => !changed.has(id))
          .map((id) => skipInvitation(id, found.get(id), suspended.has(id)));

        function skipInvitation(id: string, row: InvitationRow | undefined, isSuspended: boolean) {
          const reason = findSkipReason(deps, action, row, isSuspended);
          return describeSkipped(id, row?.email, reason, row && { id, name: row.name, email: row.email });
        }
      };
      return runBulkAction(deps.listIn(scope), selection, runAction, now);
    }),
  ];
}

function findSkipReason(
  { mail, now }: Deps,
  action: InvitationsAction,
  row: InvitationRow | undefined,
  isSuspended: boolean,
): MessageDefinition {
  if (!row) return invitationSkipped.gone;
  const reason = invitationSkipReason(action, { status: shownStatus(row, now()), mailState: row.mail_state });
  if (reason === 'revoked' && action === 'renew') return invitationSkipped.revokedForGood;
  if (reason) return invitationSkipped[reason];
  if (isSuspended) return invitationSkipped.organizationSuspended;
  if (action === 'renew') return invitationSkipped.notAllowed;
  return mail.sends ? invitationSkipped.sentTooOften : invitationSkipped.mailsOff;
}

async function renew(
  deps: Deps,
  transaction: Queryable,
  ids: string[],
  {
    rules,
    lifetimeDays,
    ...context
  }: { rules: CurrentSettings; lifetimeDays?: number | undefined } & ScopedActor,
): Promise<InvitationRow[]> {
  const at = deps.now();
  const locked = await lockRenewable(transaction, ids, new Date(at));
  const renewable = locked.filter((row) => isAllowed(row.email_canonical, rules.allowedDomains));
  const rows = await renewLockedInvitations(deps, transaction, renewable, {
    lifetimeDays: (row) => lifetimeDays ?? row.lifetime_days ?? rules.invitationLifetimeDays,
    mail: 'invitation',
  });
  const before = new Map(renewable.map(({ id, expires_at }) => [id, { expiresAt: expires_at }]));
  await recordEach(transaction, rows, (row) => {
    const detail = { before: before.get(row.id), after: { expiresAt: row.expires_at } };
    return invitationAudit.entry(row, 'invitation.renewed', context, detail);
  });
  return rows;
}

export async function renewLockedInvitations(
  deps: Pick<Deps, 'mail' | 'shortCodes' | 'now'>,
  transaction: Queryable,
  expired: InvitationRow[],
  options: { lifetimeDays: (row: InvitationRow) => number; mail: 'invitation' | 'invitation-new-link' },
): Promise<InvitationRow[]> {
  if (expired.length === 0) return [];
  const rows = await renewInvitations(
    transaction,
    expired.map((row) => {
      const lifetimeDays = options.lifetimeDays(row);
      return {
        ...createNextCode(deps, row),
        lifetimeDays,
        expiresAt: new Date(deps.now() + lifetimeDays * dayMs),
      };
    }),
    deps.mail.sends ? 'queued' : 'none',
  );
  await deps.mail.queue(
    transaction,
    rows.map((row) => invitationMailJob(options.mail, row)),
  );
  return rows;
}

async function replaceAddress(
  deps: Deps,
  transaction: Queryable,
  locked: InvitationRow,
  to: { email: string; emailCanonical: string },
): Promise<InvitationRow> {
  const mailState = deps.mail.sends ? 'queued' : 'none';
  const row = await changeAddress(transaction, { ...createNextCode(deps, locked), ...to, mailState });
  await deps.mail.queue(transaction, [invitationMailJob('invitation', row)]);
  return row;
}

/** Revokes the pending invitations among the selected ones. Returns them. */
export async function revokeAndRecord(
  deps: Pick<Deps, 'now'>,
  transaction: Queryable,
  selection: Parameters<typeof revokeInvitations>[1],
  context: Omit<ScopedActor, 'caller' | 'organization'> & {
    caller: Caller | null;
    organization?: CallerOrganization | null;
  },
  detail?: { batchId: string },
): Promise<InvitationRow[]> {
  const rows = await revokeInvitations(transaction, selection, new Date(deps.now()));
  for (const chunk of splitIntoChunks(rows))
    await recordEach(transaction, chunk, (row) =>
      invitationAudit.entry(row, 'invitation.revoked', context, detail),
    );
  return rows;
}

function createNextCode({ shortCodes }: Pick<Deps, 'shortCodes'>, row: InvitationRow) {
  const codeVersion = row.code_version + 1;
  return { id: row.id, codeVersion, codeHash: shortCodes.hashOf(shortCodes.codeOf(row.id, codeVersion)) };
}

const addressOf = (row: InvitationRow) => ({
  emailCanonical: row.email_canonical,
  organizationId: row.organization_id,
});

const rejectIfInvitedToSite = onUniqueViolation('invitations_one_pending', invitationErrors.alreadyInvited);
const rejectIfInvited = onUniqueViolation(
  'invitations_one_pending_per_organization',
  invitationErrors.alreadyInvited,
);
