/**
 * `node tools/integration/docs-smoke-test.ts`: runs the commands of docs/run-it.md in an empty directory: clones, installs, builds
 * and starts a site without an identity provider, signs in as first administrator through nginx with TLS, backs up, restores
 * elsewhere and starts the copy; then starts a site on PostgreSQL with two roles. Only placeholders of the reader are replaced.
 *
 * Needs root on Debian with: apt-get install nginx postgresql openssl git. Takes some minutes, most of them for `npm ci`. Last
 * complete run on 23 November 2026 with nginx 1.22 and PostgreSQL 15.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startReceiver } from '../../apps/server/src/platform/telemetry/traces/test-receiver.ts';
import { startLocalProvider } from '../../bench/harness/local-provider.ts';
import { findFreePorts } from '../../e2e/fixtures/start-server.ts';
import { startMailServer } from '../../e2e/fixtures/test-mail-server.ts';
import { signInFirstAdministrator } from '../image/sign-up-journey.ts';
import { createSiteClient } from '../image/site-client.ts';
import { root } from '../install.mjs';
import { createCertificate } from './test-certificate.ts';
import { siteName, startProxy } from './start-proxy.ts';
import { answers, run, startProgram, type Program } from './run-program.ts';
import { databasePassword, startSystemPostgres } from './services/system-postgres.ts';
import { withTemporaryDirectory, reportWithTime as report } from './fixture.ts';

/** First words of blocks that are not run. */
const skippedBlocks = [
  // Docker: tested by tools/image/test-image.ts and compose.ts.
  'sudo apt-get install --yes git docker.io',
  'docker build --file deploy/Dockerfile',
  'scrape_configs:',
  // OpenTelemetry collector: checked by tools/checks/documents.test.ts.
  'receivers:',
];
const email = 'you@example.com';
/** Five seconds of shutdown delay and at most nine for open requests. */
const stopWithinMs = 15_000;

const text = readFileSync(path.join(root, 'docs', 'run-it.md'), 'utf8');
const blocks = [...text.matchAll(/^( *)```\w+\n(.*?)^ *```$/gms)].map(([, indent = '', code = '']) =>
  code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
);
const usedBlocks = new Set<string>();

/** Returns the block that contains `words` with the given replacements. Throws if one does not apply. */
function block(words: string, values: [string, string][]): string {
  const found = blocks.filter((one) => one.includes(words));
  assert.equal(found.length, 1, `docs/run-it.md has ${found.length} blocks with "${words}"`);
  usedBlocks.add(found[0] as string);
  return values.reduce((changed, [from, to]) => {
    assert.ok(changed.includes(from), `There is no "${from}" in the block with "${words}"`);
    return changed.replace(from, to);
  }, found[0] as string);
}

const start = (script: string, cwd: string, env: Record<string, string>): Promise<Program> =>
  startProgram('sh', ['-euc', script], (output) => output.includes(' is ready: '), env, {
    cwd,
    timeoutMs: 400_000,
  });

/** npm forwards the signal and exits like the server, which completes open requests first. */
async function stop(program: Program, port: number, data?: string): Promise<void> {
  process.kill(program.pid, 'SIGTERM');
  assert.equal(await program.exited, 'ended with 0');
  const isThere = async () =>
    (await answers(port)) ||
    (data !== undefined && existsSync(path.join(data, 'postgres', 'postmaster.pid')));
  const deadline = Date.now() + stopWithinMs;
  while (await isThere()) {
    assert.ok(Date.now() < deadline, 'The site did not stop in time');
    await delay(100);
  }
}

async function followDocs(directory: string): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const { web: port, provider: https, mailbox: http, smtp: databasePort } = await findFreePorts();
  const mails = await startMailServer();
  cleanup.defer(() => mails.stop());
  const certificate = createCertificate(directory, [siteName]);
  const proxy = await startProxy('nginx', {
    directory,
    certificate,
    ports: { https, http },
    processes: [port],
  });
  cleanup.defer(() => proxy.end());

  const home = {
    HOME: process.env['HOME'] ?? directory,
    PORT: String(port),
    npm_config_prefer_offline: 'true',
  };
  const begin = block('cat > vestibule.env', [
    ['git clone …', `git clone --quiet ${root}`],
    ['https://portal.example.com', `https://${siteName}:${https}`],
    ['smtps://user:password@mail.example.com', mails.url],
    ['npm start ', 'exec npm start '],
  ]);
  const empty = path.join(directory, 'empty');
  mkdirSync(empty);
  const site = await start(begin, empty, home);
  cleanup.defer(() => site.end());
  report('cloned, installed, built and started without a provider');
  const client = createSiteClient(https, certificate.authority);
  cleanup.defer(() => client.close());
  const link = (of: Program) => /^First administrator: (\S+)$/m.exec(of.output())?.[1];
  await signInFirstAdministrator(client, link(site) ?? '', mails, email);
  const me = await client.callOk('GET', '/api/users/me');
  assert.equal(me['Email'], email);
  assert.equal(me['IsAdmin'], true);
  report('the first administrator is signed in');

  const clone = path.join(empty, 'vestibule');
  const environment = 'set -a && . ./vestibule.env && set +a\n';
  const command = (script: string) => run('sh', ['-euc', `cd ${clone}\n${environment}${script}`], home);
  assert.match(command(block('npm run audit:verify', [])), /Nothing was altered: all \d+ sealed/);
  const backups = path.join(directory, 'backups');
  mkdirSync(backups);
  command(block('npm run backup', []).replaceAll('/backups/', `${backups}/`));
  const elsewhereData = path.join(directory, 'try');
  const restoring = block('npm run restore', [
    ['/backups/', `${backups}/`],
    ['/tmp/try', elsewhereData],
  ]);
  assert.match(command(restoring), /Restored as of .*all as they were/);
  assert.ok(existsSync(path.join(elsewhereData, 'postgres')));
  report('verified, backed up twice while the site runs, and restored elsewhere');
  await stop(site, port, path.join(clone, '.data'));
  const exports = restoring.split('\n')[0] ?? '';
  const restored = await start(`${environment}${exports}\nexec npm start`, clone, home);
  cleanup.defer(() => restored.end());
  assert.equal((await client.callOk('GET', '/api/users/me'))['Email'], email);
  assert.equal(link(restored), undefined);
  report('the restored site has the administrator, and the session is still valid');
  await stop(restored, port, elsewhereData);

  await testTraces(clone, home, environment, client);
  await testDatabase(directory, clone, home, databasePort, mails.url);
  const left = blocks.filter(
    (one) => !usedBlocks.has(one) && !skippedBlocks.some((words) => one.startsWith(words)),
  );
  assert.deepEqual(left, [], 'Some blocks are not run');
}

/** Tests traces with a test receiver instead of Jaeger. */
async function testTraces(
  clone: string,
  home: Record<string, string>,
  environment: string,
  client: ReturnType<typeof createSiteClient>,
): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const receiver = await startReceiver();
  cleanup.defer(() => receiver.close());
  const script = block('jaegertracing', [
    ['docker run', '# docker run'],
    ['http://localhost:4318', receiver.address],
    ['npm start', 'exec npm start'],
  ]);
  const site = await start(`${environment}${script}`, clone, home);
  cleanup.defer(() => site.end());
  await client.callOk('GET', '/api/users/me');
  // The server sends remaining spans before it exits.
  await stop(site, Number(home['PORT']), path.join(clone, '.data'));
  assert.deepEqual([...new Set(receiver.requests.map(({ path: at }) => at))], ['/v1/traces']);
  assert.ok(receiver.spans().some(({ name }) => name === 'GET /api/users/me'));
  report(`traces arrived: ${receiver.spans().length} spans`);
}

/** Tests the database roles and the block that starts with an identity provider. */
async function testDatabase(
  directory: string,
  clone: string,
  home: Record<string, string>,
  port: number,
  smtpUrl: string,
): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const postgres = await startSystemPostgres(directory, port, { owner: 'postgres' });
  cleanup.defer(() => postgres.program.end('SIGINT'));
  const roles = path.join(directory, 'roles.sql');
  writeFileSync(roles, block('create role vestibule login', []).replaceAll("'…'", `'${databasePassword}'`));
  const address = (parts: Partial<URL>) => Object.assign(new URL(postgres.owner), parts).href;
  run('psql', ['--set=ON_ERROR_STOP=1', `--file=${roles}`, address({ pathname: '/postgres' })]);
  const provider = await startLocalProvider();
  cleanup.defer(() => void provider.close());
  const values: Record<string, string> = {
    DATABASE_URL: address({ username: 'vestibule_app' }),
    SECRET: run('openssl', ['rand', '-base64', '48']).trim(),
    SMTP_URL: smtpUrl,
    MAIL_FROM: 'portal@example.com',
    ADMIN_EMAIL: email,
    ...provider.environment,
  };
  const script = block('SIGN_UP_POLICY=…', [
    ['git clone … vestibule && cd vestibule\n', 'exec env '],
  ]).replaceAll(/(\w+)=…/g, (_, name: string) => `${name}='${values[name] ?? assert.fail(name)}'`);
  const site = await start(script, clone, {
    ...home,
    DATABASE_OWNER_URL: address({ username: 'vestibule' }),
  });
  cleanup.defer(() => site.end());
  assert.equal((await fetch(`http://127.0.0.1:${home['PORT']}/readyz`)).status, 200);
  assert.doesNotMatch(site.output(), /"weakness":"weakness\.(?:logOwner|plainDatabase)"/);
  report(
    `started on PostgreSQL ${postgres.version} with two roles; the application role does not own the log`,
  );
  await stop(site, Number(home['PORT']));
}

await withTemporaryDirectory('followDocs', followDocs);
