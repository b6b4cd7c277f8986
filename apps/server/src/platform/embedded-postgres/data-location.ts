/**
 * The place of PostgreSQL's data, and the operating-system user of its processes. PostgreSQL refuses to run as root: if
 * Vestibule runs as root, the processes run as another user, with a capability if only root may enter the directories.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StartUpError } from '../config/start-up-error.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';

type PostgresUser = { name: string; uid: number; gid: number };

/** Command that runs a program as the user, and the options of `spawn` for it. */
type RunAs = { command: string[]; options: { uid?: number; gid?: number } };

export type PostgresLocation = {
  dataDirectory: string;
  binaries: PostgresBinaries;
  /** Undefined: the current user. */
  user: PostgresUser | undefined;
  runAs: RunAs;
};

const userName = 'vestibule-postgres';
/** Version 1.0.0 placed data here if its user could not enter the requested directory. */
const earlierSharedDirectory = '/var/lib/vestibule';

export const isRoot = () => process.getuid?.() === 0;

/** Returns the location of data and programs. Creates the parent of the data directory. */
export async function prepareDataLocation(
  requested: string,
  binaries: PostgresBinaries,
  shared = earlierSharedDirectory,
): Promise<PostgresLocation> {
  await mkdir(dirname(requested), { recursive: true });
  if (!isRoot()) {
    await requireOwnData(requested);
    return { dataDirectory: requested, binaries, user: undefined, runAs: { command: [], options: {} } };
  }
  const hash = createHash('sha256').update(requested).digest('hex').slice(0, 12);
  const earlier = join(shared, hash, basename(requested));
  const isEarlier = !existsSync(join(requested, 'PG_VERSION')) && existsSync(earlier);
  const dataDirectory = isEarlier ? earlier : requested;
  const user = await chooseUser(dataDirectory);
  const runAs = findRunAs(user, [dirname(dataDirectory), binaries.postgres]);
  if ((await findOwner(dataDirectory)) === 0)
    spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, dataDirectory], { stdio: 'inherit' });
  return { dataDirectory, binaries, user, runAs };
}

async function requireOwnData(dataDirectory: string): Promise<void> {
  const owner = await findOwner(dataDirectory);
  if (owner === undefined || process.getuid === undefined || owner === process.getuid()) return;
  throw new StartUpError(
    `The data directory ${dataDirectory} belongs to another user (${findUser(String(owner))?.name ?? owner}). Start Vestibule as that user or as root, give the directory to yourself with chown, or set DATA_DIR to another directory.`,
  );
}

/** Keeps the user of existing data, so that an ordinary user can start it again without root. */
async function chooseUser(dataDirectory: string): Promise<PostgresUser> {
  const owner = await findOwner(dataDirectory);
  return (owner ? findUser(String(owner)) : undefined) ?? getPostgresUser();
}

const findOwner = async (path: string) => (existsSync(path) ? (await stat(path)).uid : undefined);

/** Returns `vestibule-postgres`, created if missing, or else an existing `postgres`. */
export function getPostgresUser(): PostgresUser {
  const create = () =>
    spawnSync('useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', userName]);
  const user = findUser(userName) ?? (create() && findUser(userName)) ?? findUser('postgres');
  if (user) return user;
  throw new StartUpError(
    `PostgreSQL refuses to run as root, and no user for it could be created. Run Vestibule as another user, create one with \`useradd --system ${userName}\`, or set DATABASE_URL.`,
  );
}

/** Looks up a user by name or id; undefined if unknown. */
function findUser(nameOrUid: string): PostgresUser | undefined {
  const [uid = '', gid = '', name = ''] = ['-u', '-g', '-un'].map((option) =>
    spawnSync('id', [option, nameOrUid], { encoding: 'utf8' }).stdout?.trim(),
  );
  return name ? { name, uid: Number(uid), gid: Number(gid) } : undefined;
}

/**
 * Finds a way to run programs as a user who can reach these paths: without privileges, or with the capability to enter
 * all directories. Containers often lack the first capability. `no_setuid_fixup` makes access(2) respect it.
 */
function findRunAs({ name, uid, gid }: PostgresUser, paths: string[]): RunAs {
  const withCapability = (capability: string): RunAs => ({
    command: [
      'setpriv',
      `--reuid=${uid}`,
      `--regid=${gid}`,
      '--clear-groups',
      `--inh-caps=+${capability}`,
      `--ambient-caps=+${capability}`,
      '--securebits=+no_setuid_fixup',
    ],
    options: {},
  });
  const found = [
    { command: [], options: { uid, gid } },
    withCapability('dac_read_search'),
    withCapability('dac_override'),
  ].find((runAs) =>
    paths.every((path) => {
      const [command, parameters] = programFor(runAs, 'test', ['-x', path]);
      return spawnSync(command, parameters, { ...runAs.options, cwd: '/' }).status === 0;
    }),
  );
  if (found) return found;
  throw new StartUpError(
    `The database's user ${name} cannot enter ${paths.join(' or ')}. Let it (\`chmod o+x\` on the directories above), move Vestibule and DATA_DIR to directories that other users may enter, or set DATABASE_URL.`,
  );
}

/** Returns the command and parameters that run a program; pass `runAs.options` to `spawn` as well. */
export function programFor(
  { command }: RunAs,
  program: string,
  parameters: string[],
): [command: string, parameters: string[]] {
  const [first = program, ...rest] = [...command, program, ...parameters];
  return [first, rest];
}
