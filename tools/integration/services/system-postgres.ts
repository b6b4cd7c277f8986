/** The system's own PostgreSQL (apt-get install postgresql), or another one, on a port and in a directory of its own. */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run, startProgram, type Program } from '../run-program.ts';

export type SystemPostgres = { bin: string; version: string; port: number; owner: string; program: Program };

const installed = '/usr/lib/postgresql';
const user = 'postgres';
/** Of the roles; it listens on this machine only, and goes with the trial. */
export const databasePassword = 'password-of-a-trial';

type Options = {
  /** With it nobody gets in from the network without encryption. */
  certificate?: { certificate: string; key: string };
  /** The role to begin with. */
  owner?: string;
  /** Where the programs are; without it the newest ones that are installed. */
  bin?: string;
  /** As in postgresql.conf, `name=value`. */
  settings?: string[];
};

/**
 * Starts one. Its `owner` is the address of an empty database as the role `vestibule`, which may do everything; of a database that is not
 * there yet, when another role is to begin with.
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

/** Starts the programs on the data of a directory, and waits until they take connections. */
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
    // Signals have to reach it: nothing stands in between.
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
