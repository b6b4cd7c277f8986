/** Measures inviting one person, inviting a list of 10,000, and the first call of invited people. */
import { randomBytes } from 'node:crypto';
import { invite } from '@vestibule/contract/invitations';
import { checkInvitations, createBatch } from '@vestibule/contract/invitations/batches';
import { connections, inTurn, measureInserts, measureRequestsPerSecond } from '../harness/http-load.ts';
import type { LoadedSite } from '../harness/site.ts';
import { isTrial, options } from '../options.ts';
import { peers } from '../peers.ts';
import { atLeast, atMost, figure, median, type Figure } from '../report.ts';

const listLength = isTrial ? 500 : 10_000;
const rounds = isTrial ? 1 : 3;
const createRun = () => randomBytes(4).toString('hex');

export async function measureInvite(site: LoadedSite): Promise<Figure[]> {
  const run = createRun();
  let number = 0;
  const measure = (seconds: number) =>
    measureRequestsPerSecond(site.url, {
      seconds,
      createRequest() {
        number += 1;
        const email = `invited.${run}.${number}@example.com`;
        return {
          method: 'POST',
          path: invite.path,
          headers: headersOf(site.tokens[number % site.tokens.length]),
          body: JSON.stringify({ email, name: 'Invited Person', message: 'Welcome.' }),
        };
      },
    });
  await measure(2);
  const perSecond = await measure(options.seconds);
  await requireComplete(site, `invited.${run}.%`);
  return [
    figure(`create an invitation, ${connections} connections`, perSecond, '/s', atLeast(1000), {
      ceiling: `Fastify with one insert: ${await measureInserts(site.ceilingUrl, '/rows')}`,
      others: peers.invite,
    }),
  ];
}

export async function measureInviteMany(site: LoadedSite): Promise<Figure[]> {
  const seconds = { dryRun: [] as number[], batch: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const run = createRun();
    const rows = Array.from({ length: listLength }, (_, number) => ({
      email: `listed.${run}.${number}@example.com`,
      name: `Listed Person ${number}`,
    }));
    const send = async (path: string, headers: Record<string, string> = {}) => {
      const startedAt = performance.now();
      const response = await fetch(site.url + path, {
        method: 'POST',
        headers: { ...headersOf(site.tokens[0]), ...headers },
        body: JSON.stringify({ rows, message: 'Welcome.' }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
      return (performance.now() - startedAt) / 1000;
    };
    seconds.dryRun.push(await send(checkInvitations.path));
    seconds.batch.push(await send(createBatch.path, { 'idempotency-key': run }));
    await requireComplete(site, `listed.${run}.%`, listLength);
  }
  const size = listLength.toLocaleString('en-US');
  return [
    figure(`dry run of a list of ${size}, median of ${rounds}`, median(seconds.dryRun), 's', atMost(2)),
    figure(
      `invite a list of ${size}, mails queued, median of ${rounds}`,
      median(seconds.batch),
      's',
      atMost(10),
    ),
  ];
}

export async function measureRedeem(site: LoadedSite): Promise<Figure[]> {
  await redeem(site, 500);
  // Enough invitations for twice the required rate.
  const perSecond = await redeem(site, options.seconds * 1000);
  return [
    figure(`redeem an invitation, ${connections} connections`, perSecond, '/s', atLeast(500), {
      ceiling: `Fastify with one insert: ${await measureInserts(site.ceilingUrl, '/rows')}`,
      others: peers.redeem,
    }),
  ];
}

/** Inserts and redeems `count` invitations. Returns the redemptions per second. */
async function redeem({ url, database, provider }: LoadedSite, count: number): Promise<number> {
  const run = createRun();
  const { rows } = await database.query<{ id: string; email: string }>(
    `insert into invitations (id, code_hash, email, email_canonical, name, role, message, created_by, expires_at)
     select uuidv7(), sha256(($1 || n)::bytea), email, email, 'New Person', 'member', '', 'admin@example.com', now() + interval '7 days'
     from generate_series(1, $2) n, lateral (select 'new.' || $1 || '.' || n || '@example.com' as email) address
     returning id, email`,
    [run, count],
  );
  // Updates statistics as autovacuum would.
  await database.query('analyze invitations');
  const tokens = await Promise.all(
    rows.map(({ id, email }) =>
      provider.issueToken({ sub: `subject of ${email}`, emails: [email], invitationId: id }),
    ),
  );
  const perSecond = await measureRequestsPerSecond(url, {
    amount: count,
    createRequest: inTurn(tokens.map((token) => ({ path: '/api/users/me', headers: headersOf(token) }))),
  });
  const { rows: redeemed } = await database.query<{ count: number }>(
    `select count(*)::int from people join invitations on redeemed_by = people.id where people.email like $1`,
    [`new.${run}.%`],
  );
  if (redeemed[0]?.count !== count)
    throw new Error(`${redeemed[0]?.count} of ${count} invitations are redeemed`);
  return perSecond;
}

/** Throws unless every invitation to the addresses has its audit entry and its mail job. */
async function requireComplete({ database }: LoadedSite, emails: string, count?: number): Promise<void> {
  const { rows } = await database.query<{ invitations: number; audited: number; mails: number }>(
    `select count(*)::int as invitations,
            count(*) filter (where id::text in (select target_id from audit_log
              where action = 'invitation.created' and target_type = 'invitation'))::int as audited,
            count(*) filter (where id || '/1' in (select data ->> 'subjectId' from jobs.job where name = 'mail'))::int as mails
     from invitations where email like $1`,
    [emails],
  );
  const { invitations = 0, audited, mails } = rows[0] ?? {};
  if (
    invitations === 0 ||
    audited !== invitations ||
    mails !== invitations ||
    invitations !== (count ?? invitations)
  )
    throw new Error(`Invitations, audit entries and mail jobs differ: ${JSON.stringify(rows)}`);
}

const headersOf = (token = '') => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
