import { spawnSync } from 'node:child_process';
import { StartUpError } from '../config/start-up-error.ts';

/** Operating-system user to run PostgreSQL as. */
export type PostgresUser = { name: string; uid: number; gid: number };

const vestibuleUserName = 'vestibule-postgres';
const packageUserName = 'postgres';

/** Returns whether this process is root, which PostgreSQL refuses. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Returns the user for PostgreSQL when Vestibule runs as root: `vestibule-postgres`, created if missing, or else an
 * existing `postgres`. Throws a StartUpError if there is neither.
 */
export function getPostgresUser(): PostgresUser {
  const existing = findUser(vestibuleUserName);
  if (existing !== undefined) return existing;
  spawnSync('useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', vestibuleUserName], {
    stdio: 'ignore',
  });
  const user = findUser(vestibuleUserName) ?? findUser(packageUserName);
  if (user !== undefined) return user;
  throw new StartUpError(
    `PostgreSQL refuses to run as root, and no user for it could be created. Run Vestibule as another user, create one with \`useradd --system ${vestibuleUserName}\`, or set DATABASE_URL.`,
  );
}

/** Looks up a user by name or id with `id`; undefined if unknown. */
export function findUser(nameOrUid: string): PostgresUser | undefined {
  const [uid, gid, name] = ['-u', '-g', '-un'].map((option) => {
    const answer = spawnSync('id', [option, nameOrUid], { encoding: 'utf8' });
    return answer.status === 0 ? answer.stdout.trim() : undefined;
  });
  if (uid === undefined || gid === undefined || name === undefined) return undefined;
  return { name, uid: Number(uid), gid: Number(gid) };
}

/** Returns whether the user may enter a directory or run a program; every parent directory counts. */
export function canExecute(user: PostgresUser, path: string): boolean {
  // Running `test` as the user also covers access lists, read-only mounts and group membership.
  return spawnSync('test', ['-x', path], { uid: user.uid, gid: user.gid, cwd: '/' }).status === 0;
}
