/**
 * `node tools/integration/compose.ts`: follows docs/run-it.md with deploy/compose.yaml and Docker: starts it with the five values,
 * signs the first administrator in through Caddy with TLS, kills one of two processes, backs up, deletes and restores the
 * database, adds the profiles storage and clamav, uploads a clean file and a virus, and removes everything. Last run on 23
 * November 2026 with Docker 20.10 and docker-compose 1.29.
 *
 * Needs root, a Docker daemon (DOCKER_HOST), `docker compose` or docker-compose, and ports 80 and 443. Without an image registry,
 * `--stand-ins DIR` builds substitutes from packages of Debian in a directory, which may be that of tools/image/test-image.ts;
 * needs apt-get install buildah debootstrap python3-swift.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { load } from 'js-yaml';
import { startMailServer } from '../../e2e/fixtures/test-mail-server.ts';
import { signInFirstAdministrator } from '../image/sign-up-journey.ts';
import { openImageStore } from '../image/image-store.ts';
import { createSiteClient, type SiteClient } from '../image/site-client.ts';
import { root } from '../install.mjs';
import { answers, run } from './run-program.ts';
import { eicar } from './services/clamav.ts';
import { sendS3Request } from './services/swift.ts';
import { buildSubstituteImages } from './substitute-images.ts';
import { withTemporaryDirectory, reportWithTime as report } from './fixture.ts';

const { values: given } = parseArgs({ options: { 'stand-ins': { type: 'string' } } });
/** Caddy issues its own certificate for a .local name. */
const siteHost = 'portal.local';
const email = 'ada@example.com';
const timeoutMs = 90_000;
/** Swift needs a colon in the id; other storage accepts one. */
const storageKeys = { keyId: 'trial:tester', key: randomBytes(12).toString('hex') };
const docker = (...parameters: string[]) => run('docker', parameters).trim();

async function attempt(directory: string): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const imageStore = given['stand-ins'];
  if (imageStore !== undefined) buildSubstituteImages(openImageStore(imageStore), directory);
  const deploy = path.join(directory, 'deploy');
  cpSync(path.join(root, 'deploy'), deploy, { recursive: true });
  const compose = createComposeCommand(deploy);
  const mails = await startMailServer('0.0.0.0');
  cleanup.defer(() => mails.stop());
  writeFileSync(path.join(deploy, '.env'), environment(deploy, new URL(mails.url).port));
  cleanup.defer(() => void compose('down', '--volumes'));

  const up = async () => {
    compose('up', '--detach');
    await waitUntil('healthy', isHealthy);
  };
  await up();
  report('up: two processes, PostgreSQL and Caddy');
  const authority = path.join(directory, 'authority.crt');
  docker('cp', `${container('proxy')}:/data/caddy/pki/authorities/local/root.crt`, authority);
  const site = createSiteClient(443, authority, siteHost);
  cleanup.defer(() => site.close());
  const me = async () => (await site.callOk('GET', '/api/users/me'))['Email'];
  const link = /First administrator: (\S+)/.exec(docker('logs', container('site-1')))?.[1] ?? '';
  await signInFirstAdministrator(site, link, mails, email);
  assert.equal(await me(), email);
  report('the first administrator is signed in');

  docker('kill', container('site-2'));
  for (let number = 0; number < 100; number += 1) assert.equal(await me(), email);
  report('one of two processes was killed, no request failed');

  const [, file = ''] = /^(\/backups\/\S+): /m.exec(compose('run', '--rm', 'backup')) ?? [];
  compose('down');
  docker('volume', 'rm', 'vestibule_database');
  assert.match(compose('run', '--rm', 'backup', 'restore', file), /Restored as of .*all as they were/);
  await up();
  assert.equal(await me(), email);
  report('backed up, database deleted and restored; the session is still valid');

  appendFileSync(path.join(deploy, '.env'), readProfileSettings());
  await up();
  await testProfiles(site);
}

function readProfileSettings(): string {
  const text = readFileSync(path.join(root, 'deploy', 'compose.yaml'), 'utf8');
  const values = {
    COMPOSE_PROFILES: 'storage,clamav',
    ATTACHMENT_STORAGE: /ATTACHMENT_STORAGE=(\S+),/.exec(text)?.[1],
    ATTACHMENT_STORAGE_KEY_ID: storageKeys.keyId,
    ATTACHMENT_STORAGE_KEY: storageKeys.key,
    CLAMD_URL: /CLAMD_URL=(\S+)\./.exec(text)?.[1],
  };
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value ?? assert.fail(`compose.yaml does not say ${name}`)}\n`)
    .join('');
}

async function testProfiles(site: SiteClient): Promise<void> {
  const storage = addressOf('storage');
  await waitUntil(
    'answering',
    async () => (await answers(7070, storage)) && answers(3310, addressOf('clamav')),
  );
  const sendBucketRequest = (method: 'PUT' | 'GET') =>
    sendS3Request(`http://${storage}:7070`, storageKeys, method, 'attachments');
  // The real image creates the bucket from its volume.
  if (given['stand-ins'] !== undefined) await sendBucketRequest('PUT');
  const get = (id: string) => site.callOk('GET', `/api/attachments/${id}`);
  const checked = async (name: string, contents: Buffer) => {
    const id = await site.upload(name, contents);
    await waitUntil('checked', async () => (await get(id))['status'] !== 'scanning');
    return id;
  };
  const clean = await checked('clean.txt', Buffer.from('nothing wrong with this'));
  assert.equal((await get(clean))['status'], 'ready');
  assert.ok((await sendBucketRequest('GET')).includes(`<Key>${clean}</Key>`));
  const linkTo = (id: string) =>
    site.call('POST', '/api/attachments/links', { attachmentIds: [id], purpose: 'download' });
  const { path: download } = (await linkTo(clean)).body;
  assert.equal((await site.call('GET', String(download))).status, 200);
  const infected = await checked('eicar.txt', eicar);
  assert.equal((await get(infected))['status'], 'quarantined');
  assert.equal((await linkTo(infected)).body['code'], 'attachment.quarantined');
  report(
    'with the profiles storage and clamav: a clean file is in the storage and opens, a virus is quarantined',
  );
}

/** Returns the installed compose command. docker-compose 1 does not know the key `name`. */
function createComposeCommand(deploy: string): (...parameters: string[]) => string {
  const isSecond = spawnSync('docker', ['compose', 'version']).status === 0;
  const file = path.join(deploy, 'compose.yaml');
  const text = readFileSync(file, 'utf8');
  const { name } = load(text) as { name: string };
  if (!isSecond) writeFileSync(file, text.replace(/^name: .*$/m, ''));
  const [command = '', ...words] = isSecond ? ['docker', 'compose'] : ['docker-compose'];
  return (...parameters) => run(command, [...words, '--project-name', name, '--file', file, ...parameters]);
}

/** Returns .env with the five values and a mail server on this machine without encryption. */
function environment(deploy: string, smtpPort: string): string {
  const { networks } = load(readFileSync(path.join(deploy, 'compose.yaml'), 'utf8')) as {
    networks: { inside: { ipam: { config: [{ subnet: string }] } } };
  };
  const gateway = networks.inside.ipam.config[0].subnet.replace(/0\/\d+$/, '1');
  const values: Record<string, string> = {
    SITE_HOST: siteHost,
    ADMIN_EMAIL: email,
    SMTP_URL: `smtp://${gateway}:${smtpPort}`,
    SECRET: randomBytes(32).toString('hex'),
    DATABASE_PASSWORD: randomBytes(24).toString('hex'),
  };
  const example = readFileSync(path.join(deploy, '.env.example'), 'utf8');
  const filled = example.replaceAll(/^(\w+)=$/gm, (_, name: string) => `${name}=${values[name] ?? ''}`);
  return `${filled}\nSMTP_ALLOW_PLAIN_TEXT=yes\n`;
}

const container = (service: string, ...filters: string[]) =>
  docker(
    'ps',
    '--quiet',
    ...[`label=com.docker.compose.service=${service}`, ...filters].flatMap((one) => ['--filter', one]),
  );

const addressOf = (service: string) =>
  docker(
    'inspect',
    '--format',
    '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}',
    container(service),
  );

const isHealthy = () =>
  ['site-1', 'site-2', 'database'].every((service) => container(service, 'health=healthy') !== '');

async function waitUntil(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isTrue())) {
    assert.ok(Date.now() < deadline, `not ${what} in time:\n${docker('ps', '--all')}`);
    await delay(500);
  }
}

await withTemporaryDirectory('compose', attempt);
