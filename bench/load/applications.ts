/** Measures the check of requests to a protected application, compared with a bare route. */
import { applicationCookie, createCookieValues } from '../../apps/server/src/features/applications/gate.ts';
import { openDatabase } from '../../apps/server/src/platform/database/database.ts';
import { compareWithCeiling, connections } from '../harness/http-load.ts';
import type { LoadedSite } from '../harness/site.ts';
import { atLeast, figure, type Figure } from '../report.ts';
import { createSessionCookies, readKey } from './sessions.ts';

const host = 'wiki.example.com';

export async function measureForwardAuth(site: LoadedSite): Promise<Figure[]> {
  const database = openDatabase(site.databaseUrl, { maxConnections: 2 });
  try {
    await createSessionCookies(database, site);
    const cookies = await createApplication(site, await readKey(database));
    const { perSecond, percent, ceiling } = await compareWithCeiling(
      site,
      cookies.map((cookie) => ({
        path: '/forward-auth',
        headers: {
          cookie,
          'x-forwarded-proto': 'https',
          'x-forwarded-host': host,
          'x-forwarded-uri': '/page',
          'x-forwarded-method': 'GET',
        },
      })),
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

/** Registers an application that everyone may open, and signs every session in there. Returns the cookies. */
async function createApplication(site: LoadedSite, key: Buffer): Promise<string[]> {
  await site.database.query(
    `with application as (
       insert into applications (id, name, address, host, created_at, created_by)
       values (gen_random_uuid(), 'Wiki', $1, $2, now(), '') returning id)
     insert into application_access (application_id, position, kind) select id, 1, 'everyone' from application`,
    [`https://${host}`, host],
  );
  const { rows } = await site.database.query<{ id: string }>('select id from sessions');
  const { make } = createCookieValues(key);
  const cookies = rows.map(({ id }) => ({ id, ...make() }));
  await site.database.query(
    `insert into application_sessions (id_hash, session_id, application_id, created_at)
     select id_hash, session_id, applications.id, now() from unnest($1::bytea[], $2::uuid[]) as given (id_hash, session_id), applications`,
    [cookies.map(({ hash }) => hash), cookies.map(({ id }) => id)],
  );
  return cookies.map(({ token }) => `${applicationCookie}=${token}`);
}
