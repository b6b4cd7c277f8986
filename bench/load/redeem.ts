/** Measures redemption of invitations: the first call of newly signed-up people, each with a new token. */
import { randomBytes } from 'node:crypto';
import { formatWithUnit, type Figure } from '../report/figure.ts';
import { measureRequestsPerSecond, connections, type LoadRequest } from '../harness/http-load.ts';
import { options } from '../report/options.ts';
import { peers } from '../report/peers.ts';
import { runOnBenchSite, type BenchSite } from '../harness/bench-site.ts';

export async function measureRedeem(site: BenchSite): Promise<Figure[]> {
  // Enough for twice the required rate.
  const count = options.seconds * 1000;
  await redeem(site, 500);
  const perSecond = await redeem(site, count);
  const insertsPerSecond = await measureRequestsPerSecond(site.baselineUrl, {
    createRequest: () => ({
      method: 'POST',
      path: '/rows',
      headers: { 'content-type': 'application/json' },
      body: '{"email":"one@example.com"}',
    }),
    seconds: options.seconds,
  });
  return [
    {
      name: `redeem an invitation, ${connections} connections`,
      measured: perSecond,
      unit: '/s',
      limit: { at: 'least', value: 500 },
      baseline: `Fastify with one insert: ${formatWithUnit(insertsPerSecond, '/s')}`,
      peers: peers.redeem,
    },
  ];
}

/** Inserts and redeems `count` invitations. Returns the redemptions per second. */
async function redeem({ url, database, provider }: BenchSite, count: number): Promise<number> {
  const run = randomBytes(4).toString('hex');
  const { rows } = await database.query<{ id: string; email: string }>(
    `insert into invitations (id, code_hash, email, email_canonical, name, role, message, created_by, expires_at)
     select uuidv7(), sha256(($1 || n)::bytea), email, email, 'New Person', 'member', '', 'admin@example.com', now() + interval '7 days'
     from generate_series(1, $2) n, lateral (select 'new.' || $1 || '.' || n || '@example.com' as email) address
     returning id, email`,
    [run, count],
  );
  // Updates statistics as autovacuum would.
  await database.query('analyze invitations');
  const requests: LoadRequest[] = [];
  for (const { id, email } of rows) {
    const token = await provider.issueToken({
      sub: `subject of ${email}`,
      emails: [email],
      invitationId: id,
    });
    requests.push({ path: '/api/users/me', headers: { authorization: `Bearer ${token}` } });
  }
  let index = 0;
  const perSecond = await measureRequestsPerSecond(url, {
    amount: count,
    // autocannon may create one more request per connection than it sends.
    createRequest: () => requests[index++ % count] as LoadRequest,
  });
  const { rows: redeemed } = await database.query<{ count: number }>(
    `select count(*)::int from people join invitations on redeemed_by = people.id where people.email like $1`,
    [`new.${run}.%`],
  );
  if (redeemed[0]?.count !== count)
    throw new Error(`${redeemed[0]?.count} of ${count} invitations are redeemed`);
  return perSecond;
}

if (import.meta.main) await runOnBenchSite(measureRedeem);
