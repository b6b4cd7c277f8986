/** The system's own PostgreSQL (apt-get install postgresql), on a port and in a directory of its own. */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run, startProgram, type Program } from './running-program.ts';

export type SystemPostgres = { version: string; port: number; owner: string; program: Program };

const programs = '/usr/lib/postgresql';
const user = 'postgres';
/** Of the roles; it listens on this machine only, and goes with the trial. */
export const databasePassword = 'password-of-a-trial';

/**
 * Starts the newest one that is installed. `owner` is the address of an empty database as the role `vestibule`, which may do everything; of a database
 * that is not there yet, when another role is to begin with.
 * With a certificate nobody gets in from the network without encryption.
 */
export async function startSystemPostgres(
  directory: string,
  port: number,
  certificate?: { certificate: string; key: string },
  owner = 'vestibule',
): Promise<SystemPostgres> {
  const versions = existsSync(programs) ? readdirSync(programs).sort((a, b) => Number(b) - Number(a)) : [];
  const [version] = versions;
  if (version === undefined) throw new Error('No PostgreSQL is installed: apt-get install postgresql');
  const bin = path.join(programs, version, 'bin');
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
    '--locale=C',
  ]);
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${data}`];
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
  const program = await startProgram(
    // Signals have to reach it: nothing stands in between.
    'setpriv',
    [
      `--reuid=${user}`,
      `--regid=${user}`,
      '--init-groups',
      path.join(bin, 'postgres'),
      '-D',
      data,
      ...settings.flatMap((one) => ['-c', one]),
    ],
    (output) => output.includes('ready to accept connections'),
  );
  const asOwner = { PGHOST: data, PGPORT: String(port), PGUSER: owner, PGPASSWORD: databasePassword };
  if (owner === 'vestibule')
    run('psql', ['--dbname=postgres', '--command=create database vestibule'], asOwner);
  return {
    version,
    port,
    owner: `postgres://${owner}:${databasePassword}@127.0.0.1:${port}/vestibule`,
    program,
  };
}
