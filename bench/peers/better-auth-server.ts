/**
 * better-auth, configured for production as its documentation describes: the handler for Node.js, a pool of pg, the organization
 * plugin, and the indexes that its migration creates. Rate limits and the log are off because they cost time. The session cookie
 * caches the session for an hour, so requests do not read the session from the database unless they ask for it. Joins are on.
 *
 * `node better-auth-server.ts PACKAGES DATABASE_URL CONNECTIONS` prints its address. PACKAGES is the directory with its packages.
 */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';

const [packages = '', databaseUrl = '', connections] = process.argv.slice(2);
const { resolve } = createRequire(path.join(packages, 'package.json'));
const load = (name: string) => import(pathToFileURL(resolve(name)).href);
const { betterAuth } = await load('better-auth');
const { getMigrations } = await load('better-auth/db/migration');
const { toNodeHandler } = await load('better-auth/node');
const { organization } = await load('better-auth/plugins/organization');

const options = {
  baseURL: 'http://127.0.0.1',
  secret: 'a secret of the bench, 32 characters or more',
  database: new pg.Pool({ connectionString: databaseUrl, max: Number(connections) }),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  logger: { disabled: true },
  telemetry: { enabled: false },
  session: { cookieCache: { enabled: true, maxAge: 3_600 } },
  experimental: { joins: true },
  plugins: [
    organization({
      membershipLimit: 1_000_000_000,
      invitationLimit: 1_000_000_000,
      sendInvitationEmail: () => Promise.resolve(),
    }),
  ],
};

const { runMigrations } = await getMigrations(options);
await runMigrations();
const server = createServer(toNodeHandler(betterAuth(options)));
server.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
