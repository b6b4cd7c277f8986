/**
 * `node tools/integration/postgres-tls.ts`: tests a site on the installed PostgreSQL (apt-get install postgresql) that requires
 * TLS, with the URLs of docs/run-it.md, and the start errors of URLs that cannot work.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { connectToSite } from '../../e2e/fixtures/site.ts';
import { findFreePorts, type Environment } from '../../e2e/fixtures/start-server.ts';
import { createCertificate } from './test-certificate.ts';
import { startSystemPostgres } from './services/system-postgres.ts';
import { withTemporaryDirectory, readStartError, report, secret, startServer } from './fixture.ts';

async function testTls(directory: string): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const certificate = createCertificate(directory, ['localhost']);
  const elsewhere = path.join(directory, 'elsewhere');
  mkdirSync(elsewhere);
  const foreign = createCertificate(elsewhere, ['localhost']);
  const { web: port } = await findFreePorts();
  const postgres = await startSystemPostgres(directory, port, { certificate });
  cleanup.defer(() => postgres.program.end('SIGINT'));
  report(`PostgreSQL ${postgres.version}`);
  const named = postgres.owner.replace('127.0.0.1', 'localhost');
  const verified = `${named}?sslmode=verify-full&sslrootcert=${certificate.authority}`;

  const refused: [string, Environment][] = [
    ['without encryption', { DATABASE_URL: named }],
    [
      'with an authority that did not sign it',
      { DATABASE_URL: `${named}?sslmode=verify-full&sslrootcert=${foreign.authority}` },
    ],
    ['with no authority named', { DATABASE_URL: `${named}?sslmode=verify-full` }],
    [
      'by an address that is not in the certificate',
      { DATABASE_URL: verified.replace('localhost', '127.0.0.1') },
    ],
    [
      'with a file that is not there',
      { DATABASE_URL: `${named}?sslmode=verify-full&sslrootcert=/nowhere.pem` },
    ],
  ];
  for (const [how, env] of refused) report(`${how}: ${await readStartError(env)}`);

  for (const [how, env] of [
    ['sslmode=verify-full with sslrootcert', { DATABASE_URL: verified }],
    [
      'sslmode=verify-full with NODE_EXTRA_CA_CERTS',
      { DATABASE_URL: `${named}?sslmode=verify-full`, NODE_EXTRA_CA_CERTS: certificate.authority },
    ],
  ] as [string, Environment][]) {
    await using serverCleanup = new AsyncDisposableStack();
    const server = await startServer(serverCleanup, { env: { SECRET: secret, LOG_LEVEL: 'silent', ...env } });
    await server.ready();
    const site = await connectToSite(server);
    const { rows } = await connections(verified);
    assert.ok(rows.length > 0 && rows.every(({ ssl }) => ssl));
    assert.equal((await fetch(`${site.url}/readyz`)).status, 200);
    report(`${how}: ready, all ${rows.length} connections encrypted`);
  }
}

async function connections(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const found = await client.query<{ ssl: boolean }>(
    `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'vestibule'`,
  );
  await client.end();
  return found;
}

await withTemporaryDirectory('tls', testTls);
