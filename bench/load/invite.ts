/** Measures creating invitations, each with its audit row and mail job in one transaction. */
import { randomBytes } from 'node:crypto';
import { invite } from '@vestibule/contract/invitations';
import { formatWithUnit, type Figure } from '../report/figure.ts';
import { measureRequestsPerSecond, connections } from '../harness/http-load.ts';
import { options } from '../report/options.ts';
import { peers } from '../report/peers.ts';
import { runOnBenchSite, type BenchSite } from '../harness/bench-site.ts';

export async function measureInvite({ url, baselineUrl, tokens, database }: BenchSite): Promise<Figure[]> {
  const run = randomBytes(4).toString('hex');
  let number = 0;
  const createRequest = (path: string) => () => {
    number += 1;
    return {
      method: 'POST' as const,
      path,
      headers: {
        authorization: `Bearer ${tokens[number % tokens.length]}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        email: `invited.${run}.${number}@example.com`,
        name: 'Invited Person',
        message: 'Welcome.',
      }),
    };
  };
  const measure = (seconds: number) =>
    measureRequestsPerSecond(url, { createRequest: createRequest(invite.path), seconds });
  await measure(2);
  const perSecond = await measure(options.seconds);
  const insertsPerSecond = await measureRequestsPerSecond(baselineUrl, {
    createRequest: createRequest('/rows'),
    seconds: options.seconds,
  });

  const { rows } = await database.query<{ invitations: number; audited: number; mails: number }>(
    `select count(*)::int as invitations,
            count(*) filter (where id::text in (select target_id from audit_log
              where action = 'invitation.created' and target_type = 'invitation'))::int as audited,
            count(*) filter (where id || '/1' in (select data ->> 'subjectId' from jobs.job where name = 'mail'))::int as mails
     from invitations where email like $1`,
    [`invited.${run}.%`],
  );
  const stored = rows[0];
  if (
    !stored ||
    stored.invitations === 0 ||
    stored.audited !== stored.invitations ||
    stored.mails !== stored.invitations
  )
    throw new Error(`invitations, audit rows and mail jobs differ: ${JSON.stringify(stored)}`);
  return [
    {
      name: `create an invitation, ${connections} connections`,
      measured: perSecond,
      unit: '/s',
      limit: { at: 'least', value: 1000 },
      baseline: `Fastify with one insert: ${formatWithUnit(insertsPerSecond, '/s')}`,
      peers: peers.invite,
    },
  ];
}

if (import.meta.main) await runOnBenchSite(measureInvite);
