/** Kills one of two processes behind a proxy (SIGKILL) while invitations are created. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Figure } from '../../bench/report/figure.ts';
import type { SiteClient } from './site-client.ts';

const writers = 16;
const loadBeforeMs = 2_000;
const loadAfterMs = 4_000;
/** Time until the proxy notices closed connections. */
const detectionMs = 250;

export async function killOneProcess(
  site: SiteClient,
  database: pg.Pool,
  kill: () => Promise<unknown>,
): Promise<Figure[]> {
  const confirmed = new Set<string>();
  const failed: { startedAt: number; what: string }[] = [];
  const over = new AbortController();
  async function write(writer: number): Promise<void> {
    for (let number = 0; !over.signal.aborted; number += 1) {
      const email = `writer.${writer}.${number}@example.com`;
      const startedAt = performance.now();
      const { status } = await site
        .call('POST', '/api/invitations', { email })
        .catch((error: Error) => ({ status: error.message }));
      if (status === 200) confirmed.add(email);
      else failed.push({ startedAt, what: String(status) });
    }
  }
  const load = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  await delay(loadBeforeMs);
  const killedAt = performance.now();
  await kill();
  await delay(loadAfterMs);
  over.abort();
  await load;

  const { rows } = await database.query<{ email: string; audited: number; jobs: number }>(
    `select email,
            (select count(*)::int from audit_log where action = 'invitation.created' and target_id = invitations.id::text) as audited,
            (select count(*)::int from jobs.job where name = 'mail' and data ->> 'subjectId' = invitations.id || '/1') as jobs
     from invitations where email like 'writer.%'`,
  );
  const stored = new Set(rows.map(({ email }) => email));
  const onItsConnections = failed.filter(({ startedAt }) => startedAt < killedAt + detectionMs);
  if (onItsConnections.length > writers)
    throw new Error(`More requests failed than were in flight: ${JSON.stringify(failed)}`);
  const none = (name: string, measured: number): Figure => ({
    name,
    measured,
    unit: 'times',
    limit: { at: 'most', value: 0 },
  });
  return [
    none(
      `one of two containers killed (SIGKILL) under ${writers} writers, ${confirmed.size} invitations confirmed: lost`,
      [...confirmed].filter((email) => !stored.has(email)).length,
    ),
    none(
      '… without audit entry or mail job',
      rows.filter(({ audited, jobs }) => audited !== 1 || jobs !== 1).length,
    ),
    { name: '… requests refused on its connections', measured: onItsConnections.length, unit: 'times' },
    none('… requests refused after that', failed.length - onItsConnections.length),
  ];
}
