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
import { fieldTexts } from '@vestibule/contract/texts/field-texts';
import { invitationSkipped } from '@vestibule/contract/invitations/texts';
import { requestErrors } from '@vestibule/contract/request-errors';
import { invitationSkipReason } from '@vestibule/contract/rules/skipped';
import { createMessage, type MessageDefinition } from '@vestibule/contract/texts/text';
import { aboutInvitation, recordChange, recordEach } from '../../../platform/audit/audit-log.ts';
import { runBulkAction, describeSkipped } from '../../../platform/lists/bulk-action.ts';
import { retryOnDeadlock, type Queryable, type DatabaseDeps } from '../../../platform/database/database.ts';
import type { ListReader } from '../../../platform/lists/list-page.ts';
import { fail, onUniqueViolation } from '../../../platform/errors/failure.ts';
import { requireRecentAuth } from '../../../platform/http/access.ts';
import {
  implement,
  type Caller,
  type Implementation,
  type Origin,
} from '../../../platform/http/implement.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import type { MailQueue } from '../../../platform/mail/mail-queue.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { isAllowed } from '../create/check-rows.ts';
import { dayMs } from '../create/create-invitations.ts';
import { invitationMailJob } from '../invitation-mail.ts';
import type { CurrentSettings, SettingsStore } from '../../settings/settings-store.ts';
import {
  changeAddress,
  lockOpenInvitation,
  lockRenewable,
  renewInvitations,
  resendInvitationMail,
  secondsUntilSentAgain,
} from './follow-ups.ts';
import {
  findInvitation,
  findInvitations,
  isMember,
  isOpen,
  replaceExpired,
  revokeInvitations,
  shownStatus,
  toInvitation,
  type InvitationRow,
} from '../invitation-store.ts';
import type { ShortCodes } from '../link/short-code.ts';

type Deps = DatabaseDeps & {
  mail: MailQueue;
  shortCodes: ShortCodes;
  settings: SettingsStore;
  list: ListReader<InvitationRow>;
};

type ActionContext = { caller: Caller; origin: Origin };

export function lifecycleRoutes(deps: Deps): Implementation[] {
  const { database, now } = deps;

  /** Each action skips ineligible invitations and returns the changed ones. */
  const actions: Record<
    InvitationsAction,
    (
      transaction: Queryable,
      ids: string[],
      rules: CurrentSettings,
      context: ActionContext,
    ) => Promise<InvitationRow[]>
  > = {
    resend: (transaction, ids, { resendsPerHour: perHour }, context) =>
      resendInvitationMail(deps, transaction, { ids, perHour, ...context }),
    renew: (transaction, ids, rules, context) => renew(deps, transaction, ids, { rules, ...context }),
    revoke: (transaction, ids, _rules, context) => revokeAndRecord(deps, transaction, ids, context),
  };

  return [
    implement(resendInvitation, async ({ params: { invitationId }, caller, origin }) => {
      const rules = await deps.settings.current();
      const [sent] = await database.transaction((transaction) =>
        actions.resend(transaction, [invitationId], rules, { caller, origin }),
      );
      if (sent) return toInvitation(sent, now());
      if (!deps.mail.sends) throw fail(invitationErrors.mailsAreOff);
      const invitation = await requireOpenInvitation(invitationId);
      if (invitation.mail_state === 'queued') throw fail(invitationErrors.mailOnItsWay);
      throw fail(invitationErrors.sentTooOften, {
        retryAfterSeconds: Math.max(1, await secondsUntilSentAgain(database, invitationId, limit(rules))),
      });
    }),

    implement(renewInvitation, async ({ params: { invitationId }, body, caller, origin }) => {
      const rules = await deps.settings.current();
      const invitation = await findInvitation(database, invitationId);
      if (!invitation) throw fail(invitationErrors.notFound);
      if (invitation.status === 'replaced') throw fail(invitationErrors.replaced);
      if (shownStatus(invitation, now()) !== 'expired') throw fail(invitationErrors.notExpired);
      requireAllowedDomain(invitation.email_canonical, rules);
      const [renewed] = await database.transaction((transaction) =>
        renew(deps, transaction, [invitationId], { rules, ...body, caller, origin }),
      );
      if (renewed) return toInvitation(renewed, now());
      throw fail(
        (await isMember(database, invitation.email_canonical))
          ? invitationErrors.alreadyMember
          : invitationErrors.notExpired,
      );
    }),

    implement(changeInvitationAddress, async ({ params: { invitationId }, body, caller, origin }) => {
      const emailCanonical = canonicalEmail(body.email);
      if (emailCanonical === null)
        throw fail(requestErrors.invalid, {
          fields: { email: createMessage(fieldTexts.unusableAddress) },
        });
      const before = await requireOpenInvitation(invitationId);
      if (before.email_canonical === emailCanonical) throw fail(invitationErrors.sameAddress);
      requireAllowedDomain(emailCanonical, await deps.settings.current());
      const change = retryOnDeadlock(database, async (transaction) => {
        const at = new Date(now());
        // Same lock order as inviting, which avoids most deadlocks.
        await replaceExpired(transaction, [emailCanonical], at);
        const locked = await lockOpenInvitation(transaction, invitationId, at);
        if (!locked) throw fail(invitationErrors.notPending);
        if (locked.role === 'admin') requireRecentAuth(caller, now());
        const row = await replaceAddress(deps, transaction, locked, { email: body.email, emailCanonical });
        // Checked last: the update may have waited for a redemption of an invitation to the address.
        if (await isMember(transaction, emailCanonical)) throw fail(invitationErrors.alreadyMember);
        const detail = { from: locked.email, to: row.email };
        await recordChange(
          transaction,
          aboutInvitation(row, 'invitation.address_changed', { caller, origin }, detail),
        );
        return row;
      });
      return toInvitation(await change.catch(rejectAlreadyInvited), now());
    }),

    implement(revokeInvitation, async ({ params: { invitationId }, caller, origin }) => {
      const [revoked] = await database.transaction((transaction) =>
        revokeAndRecord(deps, transaction, [invitationId], { caller, origin }),
      );
      if (revoked) return toInvitation(revoked, now());
      throw fail(
        (await findInvitation(database, invitationId))
          ? invitationErrors.notPending
          : invitationErrors.notFound,
      );
    }),

    implement(actOnInvitations, async ({ body: { action, selection }, caller, origin }) => {
      const rules = await deps.settings.current();
      const runAction = async (ids: string[]) => {
        const rows = await retryOnDeadlock(database, (transaction) =>
          actions[action](transaction, ids, rules, { caller, origin }),
        );
        const changed = new Set(valuesOf(rows, 'id'));
        const skipped = ids.filter((id) => !changed.has(id));
        const found = new Map((await findInvitations(database, skipped)).map((row) => [row.id, row]));
        return skipped.map((id) => skipInvitation(deps, action, id, found.get(id)));
      };
      return runBulkAction(deps.list, selection, runAction, now);
    }),
  ];

  async function requireOpenInvitation(id: string): Promise<InvitationRow> {
    const invitation = await findInvitation(database, id);
    if (!invitation) throw fail(invitationErrors.notFound);
    if (!isOpen(invitation, now())) throw fail(invitationErrors.notPending);
    return invitation;
  }

  function limit({ resendsPerHour }: CurrentSettings) {
    return { perHour: resendsPerHour, at: new Date(now()) };
  }
}

const skipInvitation = (deps: Deps, action: InvitationsAction, id: string, row: InvitationRow | undefined) =>
  describeSkipped(
    id,
    row?.email,
    findSkipReason(deps, action, row),
    row && { id, name: row.name, email: row.email },
  );

function findSkipReason(
  { mail, now }: Deps,
  action: InvitationsAction,
  row: InvitationRow | undefined,
): MessageDefinition {
  if (!row) return invitationSkipped.gone;
  const reason = invitationSkipReason(action, { status: shownStatus(row, now()), mailState: row.mail_state });
  if (reason === 'revoked' && action === 'renew') return invitationSkipped.revokedForGood;
  if (reason) return invitationSkipped[reason];
  if (action === 'renew') return invitationSkipped.notAllowed;
  return mail.sends ? invitationSkipped.sentTooOften : invitationSkipped.mailsOff;
}

function requireAllowedDomain(emailCanonical: string, { allowedDomains }: CurrentSettings): void {
  if (!isAllowed(emailCanonical, allowedDomains)) throw fail(invitationErrors.domainNotAllowed);
}

async function renew(
  deps: Deps,
  transaction: Queryable,
  ids: string[],
  {
    rules,
    lifetimeDays,
    ...context
  }: { rules: CurrentSettings; lifetimeDays?: number | undefined } & ActionContext,
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
    return aboutInvitation(row, 'invitation.renewed', context, detail);
  });
  return rows;
}

/** Renews locked expired invitations and queues their mails. */
export async function renewLockedInvitations(
  deps: Pick<Deps, 'mail' | 'shortCodes' | 'now'>,
  transaction: Queryable,
  expired: InvitationRow[],
  options: {
    lifetimeDays: (row: InvitationRow) => number;
    mail: 'invitation' | 'invitation-new-link';
  },
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

export async function revokeAndRecord(
  deps: Pick<Deps, 'now'>,
  transaction: Queryable,
  ids: string[],
  context: Pick<ActionContext, 'origin'> & { caller: Caller | null },
): Promise<InvitationRow[]> {
  const rows = await revokeInvitations(transaction, { ids }, new Date(deps.now()));
  if (rows.length > 0)
    await recordEach(transaction, rows, (row) => aboutInvitation(row, 'invitation.revoked', context));
  return rows;
}

function createNextCode({ shortCodes }: Pick<Deps, 'shortCodes'>, row: InvitationRow) {
  const codeVersion = row.code_version + 1;
  return { id: row.id, codeVersion, codeHash: shortCodes.hashOf(shortCodes.codeOf(row.id, codeVersion)) };
}

const rejectAlreadyInvited = onUniqueViolation('invitations_one_pending', invitationErrors.alreadyInvited);
