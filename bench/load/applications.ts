/** Measures the check of requests to a protected application, compared with a bare route. */
import { applicationCookie, createCookieValues } from '../../apps/server/src/features/applications/gate.ts';
import { openDatabase } from '../../apps/server/src/platform/database/database.ts';
import { compareWithCeiling, connections } from '../harness/http-load.ts';
import { seededSubject } from '../harness/seed.ts';
import type { LoadedSite } from '../harness/site.ts';
import { atLeast, figure, type Figure } from '../report.ts';
import { createSessionCookies, readKey } from './sessions.ts';

export async function measureForwardAuth(site: LoadedSite): Promise<Figure[]> {
  const database = openDatabase(site.databaseUrl, { maxConnections: 2 });
  try {
    await createSessionCookies(database, site);
    await site.database.query(`
      with application as (
        insert into applications (id, name, address, host, created_at, created_by)
        values (gen_random_uuid(), 'Wiki', 'https://wiki.example.com', 'wiki.example.com', now(), '') returning id)
      insert into application_access (application_id, position, kind) select id, 1, 'everyone' from application`);
    const { rows } = await site.database.query<{ id: string }>('select id from sessions');
    const { make } = createCookieValues(await readKey(database));
    const cookies = rows.map(({ id }) => ({ id, ...make() }));
    await site.database.query(
      `insert into application_sessions (id_hash, session_id, application_id, created_at)
       select id_hash, session_id, applications.id, now() from unnest($1::bytea[], $2::uuid[]) as given (id_hash, session_id), applications`,
      [cookies.map(({ hash }) => hash), cookies.map(({ id }) => id)],
    );
    const requests = cookies.map(({ token }) => ({
      path: '/forward-auth',
      headers: {
        cookie: `${applicationCookie}=${token}`,
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'wiki.example.com',
        'x-forwarded-uri': '/page',
        'x-forwarded-method': 'GET',
      },
    }));
    const { perSecond, percent, ceiling } = await compareWithCeiling(
      { url: site.url, requests },
      {
        url: site.ceilingUrl,
        requests: requests.map((_, number) => ({ path: `/people/${seededSubject(number)}` })),
      },
    );
    await site.database.query('delete from applications');
    await site.database.query('delete from sessions');
    return [
      figure(`check of a request to an application, ${connections} connections`, perSecond, '/s', undefined, {
        ceiling,
      }),
      figure('check of a request, share of the ceiling', percent, '%', atLeast(60), { ceiling }),
    ];
  } finally {
    await database.end();
  }
}
