/** Domains of organizations: proof by a DNS record, which is checked again daily, and how people join by their address (R7). */
import { requireGivable } from './members.ts';
import {
  addDomain,
  changeDomain,
  domainErrors,
  domainsMaximum,
  listDomains,
  removeDomain,
  verifyDomain,
  domainTexts,
} from '@vestibule/contract/organizations/domains';
import { organizationErrors } from '@vestibule/contract/organizations';
import { requestErrors } from '@vestibule/contract/request-errors';
import { entriesAbout, recordChange, serverOrigin } from '../../platform/audit/audit-log.ts';
import { execute, onlyRowOf, rowOf, rowsOf, type CoreDeps } from '../../platform/database/database.ts';
import { createRateLimit, perHour } from '../../platform/database/rate-limit.ts';
import type { FindTxtRecords } from '../../platform/dns/txt-records.ts';
import { assertWithinRateLimit, fail, onUniqueViolation, required } from '../../platform/errors/failure.ts';
import { implement, type CallerOrganization, type Implementation } from '../../platform/http/implement.ts';
import type { Permissions } from '../../platform/http/organization-access.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { queueDomainMails } from './domain-mail.ts';
import {
  claimDueDomains,
  domainColumns,
  findDomain,
  recordNameOf,
  recordValueOf,
  toDomain,
  type DomainRow,
} from './domain-store.ts';
import { findRole } from './organization-store.ts';
import { createMessage, type Message } from '@vestibule/contract/texts/text';
import { canonicalEmail, domainOf } from '../../platform/identity/canonical-email.ts';
import { dayMs, hourMs } from '../../platform/time-units.ts';

type Deps = CoreDeps & { permissions: Permissions; findTxtRecords: FindTxtRecords };

/** Time after which a domain whose record is missing is no longer proven. */
const graceMs = 7 * dayMs;
const shownRecords = 10;
const shownCharacters = 255;

export function domainRoutes(deps: Deps): Implementation[] {
  const { database, permissions, findTxtRecords, now, newId } = deps;
  const checks = createRateLimit(deps, perHour('checks of a domain', 60));
  const rejectTaken = onUniqueViolation('organization_domains_proven', domainErrors.taken);

  async function requireDomain({
    organization,
    params,
  }: {
    organization: CallerOrganization;
    params: { domain: string };
  }): Promise<DomainRow> {
    return required(await findDomain(database, organization.id, params.domain), domainErrors.notFound);
  }

  return [
    implement(listDomains, async ({ organization }) => ({
      rows: (
        await rowsOf<DomainRow>(database, {
          text: `select ${domainColumns} from organization_domains where organization_id = $1 order by domain`,
          values: [organization.id],
        })
      ).map(toDomain),
    })),

    implement(addDomain, async (call) => {
      const { body, organization } = call;
      const domain = readDomain(body.domain);
      if (typeof domain !== 'string') throw fail(requestErrors.invalid, { fields: { domain } });
      return database.transaction(async (transaction) => {
        const { count } = await onlyRowOf<{ count: number }>(transaction, {
          text: 'select count(*)::integer as count from organization_domains where organization_id = $1',
          values: [organization.id],
        });
        if (count >= domainsMaximum) throw fail(domainErrors.tooMany);
        const row = await onlyRowOf<DomainRow>(transaction, {
          text: `insert into organization_domains (organization_id, domain, token, created_at, created_by)
                 values ($1, $2, $3, $4, $5) returning ${domainColumns}`,
          values: [organization.id, domain, newId(), new Date(now()), call.caller.email],
        }).catch(onUniqueViolation('organization_domains_pkey', domainErrors.exists));
        await recordChange(transaction, aboutDomain({ id: domain }, 'domain.added', call));
        return toDomain(row);
      });
    }),

    implement(verifyDomain, async (call) => {
      const before = await requireDomain(call);
      assertWithinRateLimit(await checks.take(call.organization.id), domainErrors.checkedTooOften);
      const records = await findTxtRecords(recordNameOf(before.domain));
      if (records === null) throw fail(domainErrors.lookupFailed);
      const found = records.slice(0, shownRecords).map((record) => record.slice(0, shownCharacters));
      // Only with this proof does the answer reveal whether another organization has the domain.
      if (records.includes(recordValueOf(before))) {
        const row = await database
          .transaction(async (transaction) => {
            const verified = await writeVerified(transaction, before, new Date(now()));
            if (verified && before.state !== 'verified')
              await recordChange(transaction, aboutDomain({ id: before.domain }, 'domain.verified', call));
            return verified;
          })
          .catch(rejectTaken);
        if (!row) throw fail(domainErrors.notFound);
        return { ...toDomain(row), found };
      }
      await execute(
        database,
        'update organization_domains set checked_at = $3 where organization_id = $1 and domain = $2',
        [before.organization_id, before.domain, new Date(now())],
      );
      return { ...toDomain({ ...before, checked_at: new Date(now()) }), found };
    }),

    implement(changeDomain, async (call) => {
      const { body, organization } = call;
      const before = await requireDomain(call);
      return database.transaction(async (transaction) => {
        const role = required(await findRole(transaction, body.roleId), organizationErrors.roleNotFound);
        if (role.id === 'manager') throw fail(domainErrors.managerRole);
        requireGivable(permissions, organization, role);
        const row = await rowOf<DomainRow>(transaction, {
          text: `update organization_domains set enrolment = $3, role_id = $4 where organization_id = $1 and domain = $2
                 returning ${domainColumns}`,
          values: [organization.id, before.domain, body.enrolment, role.id],
        });
        if (!row) throw fail(domainErrors.notFound);
        await recordChange(
          transaction,
          aboutDomain({ id: before.domain }, 'domain.changed', call, {
            before: { enrolment: before.enrolment, role: before.role_id },
            after: { enrolment: row.enrolment, role: row.role_id },
          }),
        );
        return toDomain(row);
      });
    }),

    implement(removeDomain, async (call) =>
      database.transaction(async (transaction) => {
        const { domain } = call.params;
        const removed = await execute(
          transaction,
          'delete from organization_domains where organization_id = $1 and domain = $2',
          [call.organization.id, domain],
        );
        if (removed === 0) throw fail(domainErrors.notFound);
        await recordChange(transaction, aboutDomain({ id: domain }, 'domain.removed', call));
        return { domain };
      }),
    ),
  ];
}

const writeVerified = (
  transaction: Parameters<typeof rowOf>[0],
  { organization_id: organizationId, domain }: DomainRow,
  at: Date,
) =>
  rowOf<DomainRow>(transaction, {
    text: `update organization_domains set state = 'verified', verified_at = coalesce(verified_at, $3), failing_since = null,
             checked_at = $3, check_due_at = $4
           where organization_id = $1 and domain = $2 returning ${domainColumns}`,
    values: [organizationId, domain, at, new Date(at.getTime() + dayMs)],
  });

/** Domains that one process checks at the same time. */
const domainsPerBatch = 50;
const checkActor = { caller: null, origin: serverOrigin('domains') };

/**
 * Checks the records of proven domains once a day, and returns their number. A failed lookup changes nothing. A missing record first
 * makes the domain `failing`: people no longer join by it; after a week it is no longer proven. The managers get a mail of both.
 */
export async function checkDomains(
  deps: Pick<Deps, 'database' | 'findTxtRecords' | 'now'> & { mail: MailQueue },
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
      await execute(
        database,
        'update organization_domains set check_due_at = $3 where organization_id = $1 and domain = $2',
        [row.organization_id, row.domain, new Date(at.getTime() + hourMs)],
      );
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
      await recordChange(
        transaction,
        aboutDomain({ id: row.domain }, action, { ...checkActor, organization }),
      );
      if (!isProven) await queueDomainMails(transaction, mail, row);
    });
  }
}

const aboutDomain = entriesAbout('domain', 'id');

/** Domains of services that give addresses to everyone. Exact names: bk.ru is such a service, bk.com a company. */
const publicMail = new Set(
  `gmail.com googlemail.com icloud.com me.com mac.com aol.com aol.de aol.co.uk msn.com rocketmail.com
  proton.me protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tuta.com tuta.io tutamail.com fastmail.com fastmail.fm hey.com
  zoho.com zohomail.com mail.com email.com inbox.com duck.com mail.ru bk.ru list.ru inbox.ru internet.ru rambler.ru ya.ru inbox.lv
  qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com aliyun.com naver.com daum.net hanmail.net rediffmail.com
  web.de t-online.de freenet.de arcor.de posteo.de mailbox.org bluewin.ch wanadoo.fr orange.fr free.fr sfr.fr laposte.net
  libero.it virgilio.it tiscali.it alice.it seznam.cz centrum.cz wp.pl o2.pl interia.pl onet.pl comcast.net verizon.net att.net
  sbcglobal.net bellsouth.net charter.net cox.net earthlink.net btinternet.com`.split(/\s+/),
);
/** Services with a domain in many countries. */
const publicMailOfCountry =
  /^(?:outlook|hotmail|live|yahoo|ymail|gmx|yandex)\.(?:[a-z]{2,3}|com?\.[a-z]{2})$/;

const domainMaximum = 232;

/** Understands `example.com`, `@example.com`, an address, and a web address. Returns the A-label, or the problem. */
function readDomain(text: string): string | Message {
  const host =
    text
      .trim()
      .replace(/^[a-z]+:\/\//i, '')
      .split(/[/?#]/)[0] ?? '';
  const name = (host.split('@').at(-1) ?? '').replace(/:\d+$/, '').replace(/\.$/, '');
  const address = canonicalEmail(`someone@${name}`);
  const domain = address === null ? '' : domainOf(address);
  if (!/\.[a-z][a-z0-9-]*$/.test(domain) || domain.length > domainMaximum)
    return createMessage(domainTexts.invalid);
  return publicMail.has(domain) || publicMailOfCountry.test(domain)
    ? createMessage(domainTexts.publicMail, { domain })
    : domain;
}
