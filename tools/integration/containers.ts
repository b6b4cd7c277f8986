/**
 * `node tools/integration/containers.ts [--base] [--write]`: builds both images of deploy/Dockerfile with Podman and tests them. The
 * production image is tested with two read-only containers on the installed PostgreSQL with two roles, with backup and restore, and
 * with missing settings. Then the trial image is tested. `--write` updates docs/benchmarks.md. `--base` makes the base image from
 * packages of Debian and this Node.js, for machines without an image registry. Needs root on Debian with: apt-get install podman
 * postgresql (debootstrap).
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { residentMegabytes } from '../../bench/harness/process.ts';
import { atMost, figure, formatWithUnit, printFigures, storeFigures } from '../../bench/report.ts';
import { connectToSite, createPerson } from '../../packages/testing/src/site.ts';
import { findFreePorts, type ServerProcess } from '../../packages/testing/src/start-server.ts';
import { root } from '../install.mjs';
import { report, run, runTest, startProvider } from './fixture.ts';
import { startSystemPostgres } from './system-postgres.ts';

const timeoutMs = 60_000;
const dockerfile = path.join(root, 'deploy', 'Dockerfile');
/** Splits the first parameter into words. */
const podman = (words: string, ...parameters: string[]) =>
  run('podman', [...words.split(' '), ...parameters]).trim();

type Settings = Record<string, string>;

/** Makes the base image of the Dockerfile: minimal Debian with Node.js and npm. */
function makeBase(directory: string): void {
  const [, image = ''] = /^ARG NODE_IMAGE=(\S+)$/m.exec(readFileSync(dockerfile, 'utf8')) ?? [];
  const files = path.join(directory, 'base');
  const sources = run('sh', ['-c', 'cat /etc/apt/sources.list.d/* /etc/apt/sources.list 2>&1 || true']);
  const [, mirror] = /^(?:URIs: |deb )(\S+)/m.exec(sources) ?? [];
  run('debootstrap', ['--variant=minbase', 'bookworm', files, ...(mirror ? [mirror] : [])]);
  cpSync(process.execPath, path.join(files, 'usr/local/bin/node'));
  const npm = path.join(path.dirname(realpathSync(run('which', ['npm']).trim())), '..');
  cpSync(npm, path.join(files, 'usr/local/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', path.join(files, 'usr/local/bin/npm'));
  const archive = path.join(directory, 'base.tar');
  run('tar', ['--directory', files, '--create', '--file', archive, '.']);
  podman('import', archive, image);
}

/** Builds an image with the registry and the certificate authorities of this machine. Returns its size in MB. */
function build(target: 'production' | 'trial', directory: string): number {
  const authorities = '/etc/ssl/certs';
  const npmrc = path.join(directory, 'npmrc');
  const registry = run('npm', ['config', 'get', 'registry']).trim();
  writeFileSync(npmrc, `registry=${registry}\ncafile=${authorities}/ca-certificates.crt\n`);
  podman(
    `build --network=host --format=docker --pull=missing --target=${target} --tag=vestibule:${target}`,
    `--file=${dockerfile}`,
    `--volume=${authorities}:${authorities}:ro`,
    `--volume=${npmrc}:/root/.npmrc:ro`,
    root,
  );
  return Number(podman('image inspect --format={{.Size}}', `vestibule:${target}`)) / 1e6;
}

const parametersOf = (target: string, env: Settings, volumes: Settings) => [
  '--read-only',
  '--tmpfs=/tmp',
  '--network=host',
  ...Object.entries(volumes).map(([name, place]) => `--volume=${name}:${place}`),
  ...Object.entries(env).map(([name, value]) => `--env=${name}=${value}`),
  `localhost/vestibule:${target}`,
];

/** Starts a container and waits until its health check succeeds. */
async function start(cleanup: AsyncDisposableStack, target: string, env: Settings, volumes: Settings) {
  const startedAt = performance.now();
  const id = podman('run --detach', ...parametersOf(target, env, volumes));
  cleanup.defer(() => void podman('rm --force --time=0', id));
  const output = () => {
    const { stdout, stderr } = spawnSync('podman', ['logs', id], { encoding: 'utf8' });
    return stdout + stderr;
  };
  while (spawnSync('podman', ['exec', id, 'vestibule', 'ready']).status !== 0) {
    assert.ok(performance.now() - startedAt < timeoutMs, output());
    await delay(50);
  }
  return {
    seconds: (performance.now() - startedAt) / 1000,
    pid: Number(podman('inspect --format={{.State.Pid}}', id)),
    output,
    stop() {
      const stoppedAt = performance.now();
      podman('stop --time=25', id);
      return (performance.now() - stoppedAt) / 1000;
    },
  };
}

/** Runs a command in a container. Returns its exit code and output. */
function runInside(command: string[], env: Settings, volumes: Settings = {}) {
  const { status, stdout, stderr } = spawnSync(
    'podman',
    ['run', '--rm', ...parametersOf('production', env, volumes), ...command],
    { encoding: 'utf8' },
  );
  return { status, output: stdout + stderr };
}

await runTest(async (directory, cleanup) => {
  if (process.argv.includes('--base')) makeBase(directory);
  const size = build('production', directory);
  report('production: built');
  const [{ web: databasePort, smtp: first, mailbox: second }, { environment, call }] = await Promise.all([
    findFreePorts(),
    startProvider(cleanup),
  ]);
  const postgres = await startSystemPostgres(cleanup, directory, databasePort);
  const settings = {
    ...environment,
    DATABASE_URL: postgres.application,
    DATABASE_OWNER_URL: postgres.owner,
    PUBLIC_URL: `http://localhost:${first}`,
    ADMIN_EMAIL: 'admin@example.com',
  };
  const mounts = (name: string) => {
    const places = { data: path.join(directory, name), backups: path.join(directory, 'backups') };
    for (const place of Object.values(places)) mkdirSync(place, { recursive: true });
    run('chown', ['1000:1000', ...Object.values(places)]);
    return { [places.data]: '/data', [places.backups]: '/backups' };
  };
  const one = await start(cleanup, 'production', { ...settings, PORT: String(first) }, mounts('data'));
  const two = await start(cleanup, 'production', { ...settings, PORT: String(second) }, mounts('data'));
  assert.equal(run('ps', ['-o', 'uid=', '-p', String(one.pid)]).trim(), '1000');
  await delay(3_000);
  const megabytes = await residentMegabytes(two.pid);
  for (const port of [first, second]) {
    assert.equal((await call(port, 'GET', '/api/users/me')).status, 200);
    const email = `invited.${port}@example.com`;
    assert.equal((await call(port, 'POST', '/api/invitations', { email })).status, 200);
  }
  report('two containers run as an unprivileged user on read-only files and answer');

  const made = runInside(['backup', '/backups/', '--with-files'], settings, mounts('data'));
  const [, file = ''] = /^(\/backups\/\S+): /m.exec(made.output) ?? [];
  run('psql', [postgres.owner, '--command=create database restored']);
  const elsewhere = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, value.replace(/\/vestibule$/, '/restored')]),
  );
  const restored = runInside(['restore', file], elsewhere, mounts('elsewhere'));
  assert.match(restored.output, /Restored as of .*all as they were/);
  report('backed up while the containers run, and restored elsewhere');

  const development = { ALLOW_DEVELOPMENT_PARTS: 'yes', SECRET: settings.SECRET };
  const withDatabase = { ...development, DATABASE_URL: postgres.owner };
  for (const [env, setting] of [
    [{}, 'SMTP_URL'],
    [development, 'DATABASE_URL'],
    [withDatabase, 'SMTP_URL'],
    [{ ...withDatabase, SMTP_URL: 'off' }, 'OIDC_PROVIDERS'],
  ] as [Settings, string][]) {
    const { status, output } = runInside(['start'], { DATA_DIR: '/tmp', LOG_LEVEL: 'silent', ...env });
    assert.equal(status, 1, output);
    assert.match(output, new RegExp(`\\b${setting}\\b`));
    assert.doesNotMatch(output, /ERR_|node:internal|^ {4}at /m);
  }
  report('no development parts in the image; missing settings are reported');
  const stopSeconds = two.stop();
  const again = await start(cleanup, 'production', { ...settings, PORT: String(second) }, mounts('data'));

  const trialSize = build('trial', directory);
  report('trial: built');
  const { web, smtp } = await findFreePorts();
  const ports = { web, provider: web + 1, mailbox: web + 2, smtp };
  const trialSettings = { PORT: String(web), MAILBOX_SMTP_PORT: String(smtp) };
  const trial = await start(cleanup, 'trial', trialSettings, mounts('trial'));
  const site = await connectToSite({ ports, output: trial.output } as ServerProcess);
  await site.signUp(site.administrator, site.getFirstAdministratorLink());
  const invited = createPerson('Mia Member');
  await site.callAsAdmin('POST', '/api/invitations', { email: invited.email });
  const { text } = await site.mailTo(invited.email);
  await site.signUp(invited, /^http\S+$/m.exec(text)?.[0] ?? '');
  report('trial: all parts run; invitation, mail and sign-up work');

  const node = formatWithUnit(Number(run('stat', ['--format=%s', process.execPath])) / 1e6, 'MB');
  const figures = [
    figure('production image, all files', size, 'MB', atMost(190), { ceiling: `Node.js alone: ${node}` }),
    figure('first start, with all migrations', one.seconds, 's', atMost(5)),
    figure('start again', again.seconds, 's', atMost(3)),
    figure('stop, including the shutdown delay of five seconds', stopSeconds, 's', atMost(14)),
    figure('memory of a container after its start', megabytes, 'MB', atMost(150)),
    figure('trial image, all files', trialSize, 'MB'),
    figure('first start of the trial image, with embedded PostgreSQL', trial.seconds, 's', atMost(15)),
  ];
  printFigures(figures);
  if (process.argv.includes('--write')) await storeFigures('containers', figures);
});
