/**
 * Prepares a data directory with a migrated database. The sites of the tests start with copies of it, which takes half of the processor
 * time of an empty directory.
 */
import { removeDataDirectory, spawnServer } from '../packages/testing/src/start-server.ts';

export default async function prepareDataDirectory(): Promise<(() => Promise<void>) | undefined> {
  // Windows has no `cp`, which keeps the owners of the files.
  if (process.platform === 'win32') return undefined;
  const server = await spawnServer();
  await server.ready();
  await server.stop();
  process.env['PREPARED_DATA_DIRECTORY'] = server.dataDirectory;
  return () => removeDataDirectory(server.dataDirectory);
}
