/** Measures the check of requests to a protected application, asked directly and by Caddy, compared with a bare route. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { applicationCookie, createCookieValues } from '../../apps/server/src/features/applications/gate.ts';
import { openDatabase } from '../../apps/server/src/platform/database/database.ts';
import { compareWithCeiling, connections } from '../harness/http-load.ts';
import {
  createDataDirectory,
  findFreePorts,
  removeDataDirectory,
} from '../../packages/testing/src/start-server.ts';
import { startChild } from '../harness/process.ts';
import { seededSubject } from '../harness/seed.ts';
import type { LoadedSite } from '../harness/site.ts';
import { atLeast, figure, type Figure } from '../report.ts';
import { createSessionCookies, readKey } from './sessions.ts';

const host = 'wiki.example.com';

export async function measureForwardAuth(site: LoadedSite): Promise<Figure[]> {
  const database = openDatabase(site.databaseUrl, { maxConnections: 2 });
  try {
    await createSessionCookies(database, site);
    const key = await readKey(database);
    const cookies = await createApplication(site, key, `https://${host}`);
    const direct = await compareWithCeiling(
      {
        url: site.url,
        requests: cookies.map((cookie) => ({
          path: '/forward-auth',
          headers: {
            cookie,
            'x-forwarded-proto': 'https',
            'x-forwarded-host': host,
            'x-forwarded-uri': '/page',
            'x-forwarded-method': 'GET',
          },
        })),
      },
      {
        url: site.ceilingUrl,
        requests: cookies.map((_, number) => ({ path: `/people/${seededSubject(number)}` })),
      },
    );
    const viaCaddy = await measureCaddy(site, await createApplication(site, key, `http://${host}`));
    await site.database.query('delete from applications');
    await site.database.query('delete from sessions');
    return [
      figure(
        `check of a request to an application, ${connections} connections`,
        direct.perSecond,
        '/s',
        undefined,
        {
          ceiling: direct.ceiling,
        },
      ),
      figure('check of a request, share of the ceiling', direct.percent, '%', atLeast(60), {
        ceiling: direct.ceiling,
      }),
      ...viaCaddy,
    ];
  } finally {
    await database.end();
  }
}

/** Registers an application that everyone may open, and signs every session in there. Returns the cookies. */
async function createApplication(site: LoadedSite, key: Buffer, address: string): Promise<string[]> {
  await site.database.query('delete from applications');
  await site.database.query(
    `with application as (
       insert into applications (id, name, address, host, created_at, created_by)
       values (gen_random_uuid(), 'Wiki', $1, $2, now(), '') returning id)
     insert into application_access (application_id, position, kind) select id, 1, 'everyone' from application`,
    [address, host],
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

/** Loads Caddy, which asks this server or the bare server about each request. Returns nothing if Caddy is not installed. */
async function measureCaddy(site: LoadedSite, cookies: string[]): Promise<Figure[]> {
  if (spawnSync('caddy', ['version']).status !== 0) return [];
  await using cleanup = new AsyncDisposableStack();
  const directory = await createDataDirectory();
  cleanup.defer(() => removeDataDirectory(directory));
  const { web: port, smtp: ceilingPort } = await findFreePorts();
  const block = (own: number, asked: string, uri: string) =>
    `:${own} {\n\troute {\n\t\tforward_auth ${new URL(asked).host} {\n\t\t\turi ${uri}\n\t\t}\n\t\trespond "page"\n\t}\n}\n`;
  const file = path.join(directory, 'Caddyfile');
  await writeFile(
    file,
    `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${directory}\n}\n` +
      block(port, site.url, '/forward-auth') +
      block(ceilingPort, site.ceilingUrl, `/people/${seededSubject(0)}`),
  );
  const caddy = await startChild('caddy', ['run', '--adapter', 'caddyfile', '--config', file], (output) =>
    output.includes('serving initial configuration'),
  );
  cleanup.defer(async () => void (await caddy.stop()));
  const requests = cookies.map((cookie) => ({ path: '/page', headers: { host, cookie } }));
  const { perSecond, ceiling } = await compareWithCeiling(
    { url: `http://127.0.0.1:${port}`, requests },
    { url: `http://127.0.0.1:${ceilingPort}`, requests },
  );
  return [
    figure('requests through Caddy with this check', perSecond, '/s', undefined, {
      ceiling: `Caddy, ${ceiling}`,
    }),
  ];
}
