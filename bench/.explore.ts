import path from 'node:path';
import pg from 'pg';
import { writeFile } from 'node:fs/promises';
import { startEmbeddedPostgres } from '../apps/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { newDataDirectory, removeDataDirectory } from '../e2e/start-server.ts';
import { seedPeople } from './stage/seed-people.ts';
import { seedInvitations } from './on-stage/lists.ts';
import { migrate } from '../apps/server/src/platform/database/migrate.ts';
import { openDatabase } from '../apps/server/src/platform/database/database.ts';
const people = Number(process.argv[2]);
const directory = await newDataDirectory();
const postgres = await startEmbeddedPostgres({ dataDirectory: path.join(directory, 'postgres') });
const database = openDatabase(postgres.url);
await migrate(
  { url: postgres.url, variable: 'DATABASE_URL' },
  path.join(import.meta.dirname, '../apps/server/migrations'),
);
const pool = new pg.Pool({ connectionString: postgres.url, max: 4 });
let at = Date.now();
await seedPeople(pool, { people, issuer: 'https://x.example' });
console.log('people', Date.now() - at);
at = Date.now();
await seedInvitations(pool, people);
console.log('invitations', Date.now() - at);
await writeFile('/tmp/team/l2-pg.url', postgres.url);
console.log('ready');
const stop = async () => {
  await pool.end();
  await database.end();
  await postgres.stop();
  await removeDataDirectory(directory);
  process.exit(0);
};
process.on('SIGTERM', () => void stop());
setTimeout(() => void stop(), 25 * 60_000);
