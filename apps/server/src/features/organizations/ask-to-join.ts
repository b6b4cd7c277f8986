/** Requests to join an organization whose domain has the enrolment `request` (R7). */
import { auditOf } from '../../platform/audit/audit-log.ts';
import type { CoreDeps, Database } from '../../platform/database/database.ts';
import { createRateLimit, perHour } from '../../platform/database/rate-limit.ts';
import type { Caller, Origin } from '../../platform/http/implement.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { queueToManagers } from './domain-mail.ts';
import { findOpenTo } from './domain-store.ts';
import { findRequestOf, insertRequest, type Requester } from './request-store.ts';

/** Requests of an hour about which the managers get mails. Further ones are only listed. */
const mailedRequestsPerHour = 20;

/** Returns the organization; `isPending` is false if its managers have declined. Returns null if it does not accept requests. */
type AskToJoin = (
  requester: Omit<Requester, 'personId'> & {
    person: Pick<Caller, 'id' | 'email' | 'token'> | null;
    origin: Origin;
  },
) => Promise<{ name: string; slug: string; isPending: boolean } | null>;

export function createAskToJoin(deps: CoreDeps & { database: Database; mail: MailQueue }): AskToJoin {
  const { database, mail, now } = deps;
  const mailed = createRateLimit(deps, perHour('mails about requests to join', mailedRequestsPerHour));

  return ({ person, origin, ...requester }) =>
    database.transaction(async (transaction) => {
      const at = new Date(now());
      const found = await findOpenTo(transaction, requester.emailCanonical, at);
      if (found?.enrolment !== 'request') return null;
      const { id: organizationId, name, slug } = found;
      const requestId = await insertRequest(
        transaction,
        organizationId,
        { ...requester, personId: person?.id ?? null },
        { id: deps.newId(), at },
      );
      if (requestId === null) {
        const known = await findRequestOf(transaction, organizationId, requester.emailCanonical);
        return { name, slug, isPending: known?.status !== 'declined' };
      }
      await requestAudit.record(
        transaction,
        { id: requestId, email: requester.email },
        'membership_request.created',
        { caller: person, origin, organization: { id: organizationId, name } },
      );
      if ((await mailed.take(organizationId, 1, transaction)) === 0)
        await queueToManagers(transaction, mail, organizationId, {
          template: 'membership-request',
          subjectId: requestId,
        });
      return { name, slug, isPending: true };
    });
}

export const requestAudit = auditOf('membership_request', 'email');
