/** Invitations: administrators invite, revoke and copy links; anybody with a link's code gets an invite token. */
import {
  getInvitationLink,
  getInviteToken,
  invitationErrors,
  invite,
  listInvitations,
  revokeInvitation,
} from '@vestibule/contract/invitations';
import { requestErrors } from '@vestibule/contract/request-errors';
import { recordChange } from '../../platform/audit/audit-log.ts';
import { gather } from '../../platform/database/gather.ts';
import type { Database } from '../../platform/database/database.ts';
import { createListReader } from '../../platform/database/list-page.ts';
import { fail } from '../../platform/errors/failure.ts';
import { createAttemptLimit } from '../../platform/http/attempt-limit.ts';
import { implement, type Implementation } from '../../platform/http/implement.ts';
import type { MailQueue } from '../mail/mail-queue.ts';
import { canonicalEmail } from '../../platform/identity/canonical-email.ts';
import { invitationLink } from './invitation-link.ts';
import { createInvitations, type InvitationRequest } from './create-invitations.ts';
import {
  findInvitation,
  findInvitationByCodeHash,
  isMember,
  markOpened,
  revoke,
  shownStatus,
  shownStatusConditions,
  toInvitation,
  type InvitationRow,
} from './invitation-store.ts';
import type { IssueInviteToken } from './invite-token.ts';
import type { ShortCodes } from './short-code.ts';

export function invitations(deps: {
  database: Database;
  mail: MailQueue;
  shortCodes: ShortCodes;
  issueInviteToken: IssueInviteToken;
  publicUrl: string;
  lifetimeDays: number;
  now: () => number;
  newId: () => string;
}): Implementation[] {
  const { database, shortCodes, now } = deps;
  // 10 failed exchanges a minute from one address (a guess of 128 bits needs rather more).
  const failedExchanges = createAttemptLimit({ maximum: 10, windowSeconds: 60, now });
  const list = createListReader<InvitationRow>(
    database,
    {
      table: 'invitations',
      columns: {
        email: { sql: 'email', kind: 'text', searched: true },
        name: { sql: 'name', kind: 'text', searched: true },
        role: { sql: 'role', kind: 'set' },
        status: { sql: 'status', kind: 'set', values: shownStatusConditions },
        mailState: { sql: 'mail_state', kind: 'set' },
        createdAt: { sql: 'created_at', kind: 'date' },
        expiresAt: { sql: 'expires_at', kind: 'date' },
        redeemedAt: { sql: 'redeemed_at', kind: 'date' },
      },
      newestFirst: 'created_at',
    },
    now,
  );

  // Who invites in the same moment shares a transaction: each row is judged by itself, the commit is paid for once.
  const create = gather((asked: InvitationRequest[]) => createInvitations(deps, asked), 2);

  return [
    implement(getInviteToken, async ({ body, origin }) => {
      const retryAfterSeconds = failedExchanges.take(origin.address);
      if (retryAfterSeconds > 0) throw fail(requestErrors.tooMany, { retryAfterSeconds });
      const invitation = await findInvitationByCodeHash(database, shortCodes.hashOf(body.code.trim()));
      const status = invitation ? shownStatus(invitation, now()) : 'unknown';
      if (invitation && (status === 'pending' || status === 'opened')) {
        failedExchanges.giveBack(origin.address);
        if (status === 'pending') await markOpened(database, invitation.id, new Date(now()));
        return { Succeeded: true, Data: await deps.issueInviteToken(invitation), ErrorMessage: '' };
      }
      const reason = { redeemed: 'AlreadySignedUp', expired: 'Expired' }[status as string] ?? 'Invalid';
      return { Succeeded: false, Data: null, ErrorMessage: reason };
    }),

    implement(listInvitations, async ({ query }) => {
      const { rows, total } = await list.page(query);
      return { rows: rows.map((row) => toInvitation(row, now())), total };
    }),

    implement(invite, async ({ body, caller, origin }) => {
      const emailCanonical = canonicalEmail(body.email);
      if (emailCanonical === null)
        throw fail(requestErrors.invalid, {
          fields: { email: 'This address cannot be used. Write the domain in its usual spelling.' },
        });
      const created = await create({ ...body, emailCanonical, caller, origin });
      if (created) return toInvitation(created, now());
      throw fail(
        (await isMember(database, emailCanonical))
          ? invitationErrors.alreadyMember
          : invitationErrors.alreadyInvited,
      );
    }),

    implement(revokeInvitation, async ({ params, caller, origin }) => {
      const at = now();
      const row = await database.transaction(async (transaction) => {
        const revoked = await revoke(transaction, params.invitationId, new Date(at));
        if (!revoked) return null;
        await recordChange(transaction, {
          action: 'invitation.revoked',
          actor: caller,
          target: { type: 'invitation', id: revoked.id, label: revoked.email },
          origin,
        });
        return revoked;
      });
      if (row) return toInvitation(row, at);
      throw fail(
        (await findInvitation(database, params.invitationId))
          ? invitationErrors.notPending
          : invitationErrors.notFound,
      );
    }),

    implement(getInvitationLink, async ({ params, caller, origin }) => {
      const invitation = await findInvitation(database, params.invitationId);
      if (!invitation) throw fail(invitationErrors.notFound);
      if (!['pending', 'opened'].includes(shownStatus(invitation, now())))
        throw fail(invitationErrors.notPending);
      await recordChange(database, {
        action: 'invitation.link_copied',
        actor: caller,
        target: { type: 'invitation', id: invitation.id, label: invitation.email },
        origin,
      });
      return { link: invitationLink(deps.publicUrl, shortCodes, invitation.id) };
    }),
  ];
}
