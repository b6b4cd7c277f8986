/**
 * `npm run audit:verify`: compares the whole audit log with its seals and says whether somebody has altered it. Works on
 * DATABASE_URL, or on the embedded database whether it runs or not. Exit code 1 when something is wrong.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createAuditSeals, type AuditProblem } from '../apps/server/src/platform/audit/audit-seals.ts';
import { readConfig } from '../apps/server/src/platform/config/read-config.ts';
import { checkServerSecret, readServerSecret } from '../apps/server/src/platform/config/server-secret.ts';
import { StartUpError } from '../apps/server/src/platform/config/start-up-error.ts';
import { openDatabase } from '../apps/server/src/platform/database/database.ts';
import { reachEmbeddedPostgres } from '../apps/server/src/platform/database/embedded-postgres.ts';

const progressEveryMs = 1_000;

async function verify(): Promise<boolean> {
  await using opened = new AsyncDisposableStack();
  const config = readConfig(process.env);
  const secretFile = path.join(config.dataDirectory, 'secret');
  if (config.secret === null && !existsSync(secretFile))
    throw new StartUpError(`There is no ${secretFile}. Set SECRET or DATA_DIR to those of the server.`);
  const secret = readServerSecret(config.secret, config.dataDirectory);

  let url = config.databaseUrl;
  if (url === null) {
    const server = await reachEmbeddedPostgres({
      dataDirectory: path.join(config.dataDirectory, 'postgres'),
    });
    opened.defer(() => server.stop());
    url = server.applicationUrl;
  }
  const database = openDatabase(url, { maxConnections: 2 });
  opened.defer(() => database.end());
  await checkServerSecret(database, secret);

  const seals = createAuditSeals(database, secret, Date.now);
  const extent = await seals.extent();
  let checked = 0;
  let shown = performance.now();
  let problem: AuditProblem | null = null;
  for (let after = 0, done = false; !done;) {
    const step = await seals.verify(after);
    ({ lastSeal: after, done, problem } = step);
    checked += step.checked;
    if (!done && performance.now() - shown > progressEveryMs) {
      shown = performance.now();
      console.error(`${checked.toLocaleString('en')} of ${extent.sealed.toLocaleString('en')} entries …`);
    }
  }
  if (problem) {
    console.log(
      `ALTERED: ${problem.message} ${checked.toLocaleString('en')} entries before it are as written.`,
    );
    return false;
  }
  console.log(
    [
      `Nothing was altered: all ${checked.toLocaleString('en')} sealed entries${extent.since ? ` since ${extent.since.toISOString()}` : ''} are as they were written.`,
      ...(extent.unsealed > 0
        ? [`${extent.unsealed.toLocaleString('en')} newer ones are not sealed yet.`]
        : []),
      ...(extent.lastSealAt ? [`The last seal is of ${extent.lastSealAt.toISOString()}.`] : []),
    ].join(' '),
  );
  return true;
}

try {
  process.exitCode = (await verify()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof StartUpError ? error.message : error);
  process.exitCode = 1;
}
