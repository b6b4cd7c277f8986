/** Starts the installed PostgreSQL (apt-get install postgresql), or another version, in its own directory. */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run, startProgram, type Program } from '../run-program.ts';

export type SystemPostgres = { bin: string; version: string; port: number; owner: string; program: Program };

const installed = '/usr/lib/postgresql';
const user = 'postgres';
/** Password of all roles. The server only listens on this machine. */
export const databasePassword = 'password-of-a-trial';

type Options = {
  /** If set, network connections have to be encrypted. */
  certificate?: { certificate: string; key: string };
  owner?: string;
  /** Directory of the programs; default: the newest installed version. */
  bin?: string;
  settings?: string[];
};

/**
 * Starts a server. `owner` is the URL of an empty database of the superuser `vestibule`; with another owner the database does not
 * exist yet.
 */
export async function startSystemPostgres(
  directory: string,
  port: number,
  { certificate, owner = 'vestibule', bin = findInstalled(), ...more }: Options = {},
): Promise<SystemPostgres> {
  const data = path.join(directory, 'postgres');
  mkdirSync(data, { recursive: true });
  chmodSync(directory, 0o711);
  const password = path.join(directory, 'postgres-password');
  writeFileSync(password, databasePassword);
  run('chown', ['-R', user, data, password]);
  const asUser = ['-u', user, '--', path.join(bin, 'initdb')];
  run('runuser', [
    ...asUser,
    `--pgdata=${data}`,
    `--username=${owner}`,
    '--auth=scram-sha-256',
    `--pwfile=${password}`,
    '--encoding=UTF8',
    '--locale=C.UTF-8',
  ]);
  const settings = [...(more.settings ?? [])];
  if (certificate) {
    run('install', ['-o', user, '-m', '600', certificate.key, certificate.certificate, data]);
    settings.push(
      'ssl=on',
      `ssl_cert_file=${path.basename(certificate.certificate)}`,
      `ssl_key_file=${path.basename(certificate.key)}`,
    );
    writeFileSync(
      path.join(data, 'pg_hba.conf'),
      'local all all scram-sha-256\nhostssl all all all scram-sha-256\n',
    );
  }
  const program = await serve({ bin, data, port, settings });
  const asOwner = { PGHOST: data, PGPORT: String(port), PGUSER: owner, PGPASSWORD: databasePassword };
  if (owner === 'vestibule')
    run('psql', ['--dbname=postgres', '--command=create database vestibule'], asOwner);
  return {
    bin,
    version: /\d+(?:\.\d+)?/.exec(run(path.join(bin, 'postgres'), ['--version']))?.[0] ?? '',
    port,
    owner: `postgres://${owner}:${databasePassword}@127.0.0.1:${port}/vestibule`,
    program,
  };
}

/** Starts the server on a data directory and waits until it accepts connections. */
export function serve({
  bin,
  data,
  port,
  settings = [],
}: {
  bin: string;
  data: string;
  port: number;
  settings?: string[];
}): Promise<Program> {
  const all = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${data}`, ...settings];
  return startProgram(
    // setpriv replaces itself by the server, so that signals reach it.
    'setpriv',
    [
      `--reuid=${user}`,
      `--regid=${user}`,
      '--init-groups',
      path.join(bin, 'postgres'),
      '-D',
      data,
      ...all.flatMap((one) => ['-c', one]),
    ],
    (output) => /ready to accept (?:read-only )?connections/.test(output),
  );
}

function findInstalled(): string {
  const versions = existsSync(installed) ? readdirSync(installed).sort((a, b) => Number(b) - Number(a)) : [];
  if (versions[0] === undefined) throw new Error('No PostgreSQL is installed: apt-get install postgresql');
  return path.join(installed, versions[0], 'bin');
}
