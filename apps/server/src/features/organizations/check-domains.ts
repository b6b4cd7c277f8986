/** Checks daily whether the DNS records of verified domains still exist (R7). */
import { serverOrigin } from '../../platform/audit/audit-log.ts';
import { execute, type CoreDeps } from '../../platform/database/database.ts';
import type { FindTxtRecords } from '../../platform/dns/txt-records.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { dayMs, hourMs } from '../../platform/time-units.ts';
import { queueDomainMails } from './domain-mail.ts';
import { domainAudit, claimDueDomains, recordNameOf, recordValueOf, type DomainRow } from './domain-store.ts';

/** Time after which a domain whose record is missing is no longer proven. */
const graceMs = 7 * dayMs;
/** Domains that one process checks at the same time. */
const domainsPerBatch = 50;
const checkActor = { caller: null, origin: serverOrigin('domains') };

/**
 * Checks the records of proven domains once a day, and returns their number. A failed lookup changes nothing. A missing record first
 * makes the domain `failing`: people no longer join by it; after a week it is no longer proven. The managers get a mail of both.
 */
export async function checkDomains(
  deps: Pick<CoreDeps, 'database' | 'now'> & { findTxtRecords: FindTxtRecords; mail: MailQueue },
  stopped?: AbortSignal,
): Promise<number> {
  const { database, findTxtRecords, mail, now } = deps;
  const at = new Date(now());
  let checked = 0;
  for (;;) {
    const due = await claimDueDomains(database, {
      at,
      next: new Date(at.getTime() + dayMs),
      limit: domainsPerBatch,
    });
    await Promise.all(due.map(check));
    checked += due.length;
    if (due.length < domainsPerBatch || stopped?.aborted) return checked;
  }

  async function check(row: DomainRow & { organization_name: string }): Promise<void> {
    const records = await findTxtRecords(recordNameOf(row.domain));
    if (records === null)
      await execute(database)`
        update organization_domains set check_due_at = ${new Date(at.getTime() + hourMs)}
          where organization_id = ${row.organization_id} and domain = ${row.domain}`;
    else await writeCheck(row, records.includes(recordValueOf(row)));
  }

  async function writeCheck(row: DomainRow & { organization_name: string }, isProven: boolean) {
    const failingSince = row.failing_since ?? at;
    const isOver = !isProven && at.getTime() - failingSince.getTime() >= graceMs;
    const state = isProven ? 'verified' : isOver ? 'pending' : 'failing';
    await database.transaction(async (transaction) => {
      const changed = await execute(transaction, {
        text: `update organization_domains set state = $3, failing_since = $4, checked_at = $5,
                 verified_at = case $3 when 'pending' then null else verified_at end
               where organization_id = $1 and domain = $2 and state <> 'pending' and checked_at is not distinct from $6`,
        // Not if a manager has checked the record since this lookup began.
        values: [
          row.organization_id,
          row.domain,
          state,
          state === 'failing' ? failingSince : null,
          at,
          row.checked_at,
        ],
      });
      if (changed === 0 || state === row.state) return;
      const action = { verified: 'domain.verified', failing: 'domain.failing', pending: 'domain.expired' }[
        state
      ];
      const organization = { id: row.organization_id, name: row.organization_name };
      await domainAudit.record(transaction, { id: row.domain }, action, { ...checkActor, organization });
      if (!isProven) await queueDomainMails(transaction, mail, row);
    });
  }
}
