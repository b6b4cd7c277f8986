/**
 * Measures Vestibule and better-auth alternately, on the same PostgreSQL server and with as many people: creating invitations, and "who
 * am I". better-auth is installed from the npm registry into the user's cache directory; the project does not depend on it.
 *
 * Per invitation, Vestibule checks the administrator's access token, looks for members and open invitations with the address, inserts
 * the invitation, its entry of the hash-chained audit log and its mail job, and sends the mail in the same process. better-auth reads
 * the session from the signed cookie, looks for the owner's membership, for a user with the address, for open invitations of the
 * address, for the organization and for the organization's open invitations, and inserts the invitation; it sends no mail.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { invite } from '@vestibule/contract/invitations';
import pg from 'pg';
import { connections, inTurn, measureRequestsPerSecond, type LoadRequest } from '../harness/http-load.ts';
import { startChild } from '../harness/process.ts';
import type { LoadedSite } from '../harness/site.ts';
import { options } from '../options.ts';
import { atLeast, figure, formatWithUnit, median, type Figure } from '../report.ts';

const version = '1.7.25';
const rounds = 3;
/** Connections to the database, as many as Vestibule's. */
const poolSize = 16;
const databaseName = 'better_auth';
/** Each invites to its own organization, so that no organization has many open invitations, all of which better-auth reads. */
const owners = 50;

type Comparison = { name: string; ours: () => LoadRequest; theirs: () => LoadRequest; minimum?: number };

export async function measurePeers(site: LoadedSite): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack();
  const database = await createDatabase(site);
  const server = await startChild(
    process.execPath,
    [path.join(import.meta.dirname, 'better-auth-server.ts'), await install(), database, String(poolSize)],
    (output) => /http:\S+\n/.test(output),
    { env: { NODE_ENV: 'production' } },
  );
  cleanup.defer(async () => void (await server.stop()));
  const [url = ''] = /http:\S+/.exec(await server.output()) ?? [];
  const organizations = await createOrganizations(url);
  await seed(database, organizations);

  const run = Date.now().toString(36);
  const json = { 'content-type': 'application/json' };
  let number = 0;
  const newAddress = () => `invited.${run}.${(number += 1)}@example.com`;
  const ourTokens = inTurn(
    site.tokens.map((token) => ({
      path: '/api/users/me',
      headers: { authorization: `Bearer ${token}` },
    })),
  );
  const theirSession = (query: string) =>
    inTurn(organizations.map(({ headers }) => ({ path: `/api/auth/get-session${query}`, headers })));
  const nextOrganization = inTurn(organizations);
  const comparisons: Comparison[] = [
    {
      name: 'create an invitation',
      ours: () => ({
        method: 'POST',
        path: invite.path,
        headers: { ...ourTokens().headers, ...json },
        body: JSON.stringify({ email: newAddress(), name: 'Invited Person', message: 'Welcome.' }),
      }),
      theirs: () => {
        const { id, headers } = nextOrganization();
        return {
          method: 'POST',
          path: '/api/auth/organization/invite-member',
          headers: { ...headers, ...json },
          body: JSON.stringify({ email: newAddress(), role: 'member', organizationId: id }),
        };
      },
      minimum: 10,
    },
    { name: 'who am I', ours: ourTokens, theirs: theirSession('?disableCookieCache=true') },
    { name: 'who am I, theirs from the cookie', ours: ourTokens, theirs: theirSession('') },
  ];
  const figures: Figure[] = [];
  for (const comparison of comparisons) figures.push(...(await compare(site.url, url, comparison)));
  return figures;
}

async function compare(
  ourUrl: string,
  theirUrl: string,
  { name, ours, theirs, minimum }: Comparison,
): Promise<Figure[]> {
  const rates = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    // The first round is a warm-up.
    const seconds = round === 0 ? 2 : options.seconds;
    const our = await measureRequestsPerSecond(ourUrl, { createRequest: ours, seconds });
    const their = await measureRequestsPerSecond(theirUrl, { createRequest: theirs, seconds });
    if (round === 0) continue;
    rates.ours.push(our);
    rates.theirs.push(their);
  }
  const [our, their] = [median(rates.ours), median(rates.theirs)];
  const others = `better-auth ${version}: ${formatWithUnit(their, '/s')}`;
  return [
    figure(`${name}, ${connections} connections`, our, '/s', undefined, { others }),
    figure('… times the rate of better-auth', our / their, 'times', minimum ? atLeast(minimum) : undefined),
  ];
}

/** Installs better-auth into the user's cache directory. Returns the directory. */
async function install(): Promise<string> {
  const cache = process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache');
  const directory = path.join(cache, 'vestibule-bench', `better-auth-${version}`);
  if (!existsSync(path.join(directory, 'node_modules/better-auth'))) {
    await mkdir(directory, { recursive: true });
    await writeFile(path.join(directory, 'package.json'), '{ "private": true }');
    await promisify(execFile)(
      'npm',
      ['install', '--ignore-scripts', '--no-audit', '--no-fund', `better-auth@${version}`],
      { cwd: directory },
    );
  }
  return directory;
}

/** Creates an empty database beside Vestibule's. Returns its URL. */
async function createDatabase({ administratorUrl, databaseUrl }: LoadedSite): Promise<string> {
  const { username } = new URL(databaseUrl);
  await execute(
    administratorUrl,
    `drop database if exists ${databaseName}`,
    `create database ${databaseName} owner ${username}`,
  );
  return Object.assign(new URL(databaseUrl), { pathname: databaseName }).href;
}

async function execute(databaseUrl: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

type Organization = { id: string; headers: { cookie: string; origin: string } };

/** Signs up the owners and creates their organizations through the API. */
async function createOrganizations(url: string): Promise<Organization[]> {
  const origin = 'http://127.0.0.1';
  const post = async (route: string, body: object, cookie = '') => {
    const response = await fetch(`${url}/api/auth${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, cookie },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${route} answered ${response.status}: ${await response.text()}`);
    return response;
  };
  const organizations: Organization[] = [];
  for (let index = 0; index < owners; index += 1) {
    const signedUp = await post('/sign-up/email', {
      email: `owner.${index}@example.com`,
      name: `Owner ${index}`,
      password: 'a password of the bench',
    });
    const cookie = signedUp.headers
      .getSetCookie()
      .map((one) => one.split(';', 1)[0])
      .join('; ');
    const created = await post(
      '/organization/create',
      { name: `Organization ${index}`, slug: `organization-${index}` },
      cookie,
    );
    const { id } = (await created.json()) as { id: string };
    organizations.push({ id, headers: { cookie, origin } });
  }
  return organizations;
}

/** Inserts the other people, each as a member of one of the organizations. */
async function seed(databaseUrl: string, organizations: Organization[]): Promise<void> {
  const ids = organizations.map(({ id }) => `'${id}'`).join(',');
  await execute(
    databaseUrl,
    `insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
     select 'seeded-' || n, 'Person ' || n, 'seeded.' || n || '@example.com', true, now(), now()
     from generate_series(1, ${options.people - owners}) n`,
    `insert into member (id, "organizationId", "userId", role, "createdAt")
     select 'seeded-' || n, (array[${ids}])[1 + n % ${owners}], 'seeded-' || n, 'member', now()
     from generate_series(1, ${options.people - owners}) n`,
    'vacuum (analyze)',
  );
}
