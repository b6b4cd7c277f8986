/**
 * `npm run release -- 1.2.3`: checks that this checkout can be released, runs all checks and the test of a portal, creates a backup for the upgrade test,
 * sets versions, closes the changelog section, commits, tags and prints the notes. `--dry-run` changes nothing. Nothing is pushed.
 */
import path from 'node:path';
import { root } from '../install.mjs';
import { runQuietly } from '../../packages/cli/src/run-quietly.mjs';
import { createVersionBackup } from './create-version-backup.ts';
import { release } from './create-release.ts';

const dryRun = '--dry-run';
const parameters = process.argv.slice(2);

try {
  const notes = await release({
    root,
    version: parameters.find((one) => one !== dryRun) ?? '',
    day: new Date().toISOString().slice(0, 10),
    isDryRun: parameters.includes(dryRun),
    async check() {
      for (const script of ['tools/test.ts', 'tools/integration/create.ts'])
        await runQuietly(script, process.execPath, [path.join(root, script)], { cwd: root });
    },
    createVersionBackup,
    log: (line) => console.error(line),
  });
  console.log(notes);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
