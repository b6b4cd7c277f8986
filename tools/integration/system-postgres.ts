/** Starts the installed PostgreSQL (apt-get install postgresql) in its own directory. Needs root on Debian. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startChild, type Child } from '../../bench/harness/process.ts';
import { run } from './fixture.ts';

type SystemPostgres = {
  bin: string;
  /** URLs of the database `vestibule`: for its owner, which is a superuser, and for the role of the application. */
  owner: string;
  application: string;
};

const installed = '/usr/lib/postgresql';
const user = 'postgres';
/** Password of all roles. The server only listens on this machine. */
export const databasePassword = 'password-of-a-trial';

export const canStartSystemPostgres = () => existsSync(installed) && process.getuid?.() === 0;

/** Returns the directory of the newest installed version's programs. */
export function findSystemPostgres(): string {
  const [version = ''] = readdirSync(installed).sort((a, b) => Number(b) - Number(a));
  return path.join(installed, version, 'bin');
}

export async function startSystemPostgres(
  cleanup: AsyncDisposableStack,
  directory: string,
  port: number,
): Promise<SystemPostgres> {
  const bin = findSystemPostgres();
  const data = path.join(directory, 'postgres');
  mkdirSync(data);
  const password = path.join(directory, 'postgres-password');
  writeFileSync(password, databasePassword);
  run('chown', ['-R', user, data, password]);
  const initdb = `--pgdata=${data} --username=vestibule --auth=scram-sha-256 --pwfile=${password} --encoding=UTF8 --locale=C.UTF-8`;
  run('runuser', ['-u', user, '--', path.join(bin, 'initdb'), ...initdb.split(' ')]);
  const server = await startPostgres(bin, data, port);
  cleanup.defer(async () => void (await server.stop()));
  const urlOf = (role: string) => `postgres://${role}:${databasePassword}@127.0.0.1:${port}/vestibule`;
  run('psql', [urlOf('vestibule').replace(/\w+$/, 'postgres'), '--command=create database vestibule']);
  run('psql', [
    urlOf('vestibule'),
    `--command=create role vestibule_app login password '${databasePassword}'`,
  ]);
  return { bin, owner: urlOf('vestibule'), application: urlOf('vestibule_app') };
}

/** Starts the server on a data directory and waits until it accepts connections. */
export function startPostgres(bin: string, data: string, port: number): Promise<Child> {
  return startChild(
    // setpriv replaces itself by the server, so that signals reach it.
    'setpriv',
    `--reuid=${user} --regid=${user} --init-groups ${bin}/postgres -D ${data} -cport=${port} -clisten_addresses=127.0.0.1 -cunix_socket_directories=${data}`.split(
      ' ',
    ),
    (output) => /ready to accept (?:read-only )?connections/.test(output),
  );
}
