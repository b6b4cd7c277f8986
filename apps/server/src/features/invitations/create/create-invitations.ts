/** Creates invitations with their audit rows and mails in the caller's transaction. */
import { NewInvitation, type InvitationLanguage } from '@vestibule/contract/invitations/new-invitation';
import { invitationAudit, recordEach } from '../../../platform/audit/audit-log.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import type { ScopedActor } from '../../../platform/http/implement.ts';
import type { MailQueue } from '../../../platform/mail/mail-queue.ts';
import { dayMs } from '../../../platform/time-units.ts';
import { invitationMailJob } from '../invitation-mail.ts';
import { insertInvitations, type InvitationRow } from '../invitation-store.ts';
import type { ShortCodes } from '../link/short-code.ts';
import type { CurrentSettings } from '../../settings/settings-store.ts';

/** `emailCanonical` is the result of canonicalEmail(). */
export type InvitationRequest = NewInvitation &
  ScopedActor & {
    emailCanonical: string;
    organizationRoleId: string | null;
    language: InvitationLanguage;
    lifetimeDays: number;
    batchId: string | null;
  };

/** Defaults of the contract. The address is replaced. */
const defaults = NewInvitation.parse({ email: 'invitee@example.com' });

/** Adds what a request leaves out, from the contract and the settings. */
export const withDefaults = (
  { mailLanguage, invitationLifetimeDays }: CurrentSettings,
  request: Partial<NewInvitation & Pick<InvitationRequest, 'organizationRoleId' | 'batchId'>> &
    ScopedActor &
    Pick<InvitationRequest, 'email' | 'emailCanonical'>,
): InvitationRequest => ({
  ...defaults,
  organizationRoleId: null,
  batchId: null,
  ...request,
  language: request.language ?? mailLanguage,
  lifetimeDays: request.lifetimeDays ?? invitationLifetimeDays,
});

/** Returns invitations in the order of requests; null for members and addresses with an open invitation. */
export async function createInvitations(
  deps: {
    mail: Pick<MailQueue, 'sends' | 'queue'>;
    shortCodes: ShortCodes;
    now: () => number;
    newId: () => string;
  },
  transaction: Queryable,
  requests: InvitationRequest[],
): Promise<(InvitationRow | null)[]> {
  const { shortCodes } = deps;
  const at = deps.now();
  const withIds = requests.map((request) => ({ ...request, id: deps.newId() }));
  const rows = await insertInvitations(
    transaction,
    withIds.map((request) => ({
      ...request,
      codeHash: shortCodes.hashOf(shortCodes.codeOf(request.id)),
      mailState: deps.mail.sends ? 'queued' : 'none',
      createdAt: new Date(at),
      createdBy: request.caller.email,
      createdById: request.caller.id,
      organizationId: request.organization?.id ?? null,
      expiresAt: new Date(at + request.lifetimeDays * dayMs),
    })),
    new Date(at),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const inserted = withIds.filter(({ id }) => byId.has(id));
  if (inserted.length > 0)
    await Promise.all([
      recordEach(transaction, inserted, ({ id, lifetimeDays, caller, origin, organization, ...request }) =>
        invitationAudit.entry(
          byId.get(id) as InvitationRow,
          'invitation.created',
          { caller, origin, organization },
          { ...selectLoggedFields(request), expiresAt: new Date(at + lifetimeDays * dayMs) },
        ),
      ),
      deps.mail.queue(
        transaction,
        inserted.map(({ id, origin }) => ({
          ...invitationMailJob('invitation', { id, mail_number: 1 }),
          // Batched requests have separate traces.
          traceparent: origin.traceparent,
        })),
      ),
    ]);
  return withIds.map(({ id }) => byId.get(id) ?? null);
}

const unloggedFields: ReadonlySet<string> = new Set<keyof InvitationRequest>([
  'email',
  'emailCanonical',
  'name',
  'message',
  'language',
  'attachmentIds',
]);

/** Returns the fields for the audit log, without empty ones. */
const selectLoggedFields = (request: object) =>
  Object.fromEntries(
    Object.entries(request).filter(
      ([name, value]) => !unloggedFields.has(name) && value !== null && value !== '',
    ),
  );
