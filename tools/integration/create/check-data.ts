/** Part of create.ts: a portal's data after a backup and a restoration. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  createDataDirectory,
  removeDataDirectory,
  type Environment,
  type ServerProcess,
} from '../../../packages/testing/src/start-server.ts';
import { connectToSite } from '../../../packages/testing/src/site.ts';
import { report } from '../fixture.ts';

type Start = (options: { dataDirectory: string; env?: Environment }) => Promise<ServerProcess>;
type Run = (env: Environment, ...parameters: string[]) => Promise<string>;
type Site = Awaited<ReturnType<typeof connectToSite>>;

export const subject = 'The heating is off';
const closeAfterDays = 9;

export async function changeSetting(site: Site): Promise<void> {
  const { status, answer } = await site.call(
    site.administrator,
    'PATCH',
    '/api/extensions/tickets/settings',
    { values: { closeAfterDays } },
  );
  assert.equal(status, 200, `A changed setting has to be stored: ${JSON.stringify(answer)}`);
}

/** The portal of the data directory has to be running: it runs the database. */
export async function checkRestoration(
  dataDirectory: string,
  backup: string,
  { start, run }: { start: Start; run: Run },
): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  await run({ DATA_DIR: dataDirectory }, 'run', 'backup', '--', backup);
  await run({ DATA_DIR: dataDirectory }, 'run', 'audit:verify');
  report('npm run backup, npm run audit:verify');

  const restored = await createDataDirectory();
  cleanup.defer(() => removeDataDirectory(restored));
  const env = {
    SECRET: readFileSync(path.join(dataDirectory, 'secret'), 'utf8').trim(),
  };
  await run({ ...env, DATA_DIR: restored }, 'run', 'restore', '--', backup);
  const server = await start({ dataDirectory: restored, env });
  cleanup.defer(() => server.stop());
  await server.ready();
  const site = await connectToSite(server);
  assert.deepEqual(
    await site.sql('select subject from tickets'),
    [{ subject }],
    'The ticket has to be in the restored database.',
  );
  assert.deepEqual(
    await site.sql(`select value ->> 'closeAfterDays' as days from extension_settings`),
    [{ days: String(closeAfterDays) }],
    'The changed setting has to be in the restored database.',
  );
  report('npm run restore: the ticket and the changed setting are in an empty data directory');
}
