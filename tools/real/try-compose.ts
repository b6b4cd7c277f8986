/**
 * `node tools/real/try-compose.ts`: does with deploy/compose.yaml and a real Docker what docs/run-it.md says: brings it up with the five values, lets
 * the first administrator in through Caddy with TLS, kills one of the two processes, backs up, takes the database away, restores it, and takes
 * everything down again. Last done on 23 November 2026 with Docker 20.10 and docker-compose 1.29.
 *
 * Needs root, a Docker daemon that answers (DOCKER_HOST), `docker compose` or docker-compose, and the ports 80 and 443. Where no registry of images is
 * reached, `--stand-ins DIR` makes the images of the same names of Debian's PostgreSQL and Caddy, and keeps what it makes them of in a directory, which
 * may be that of tools/image/test-image.ts; that needs apt-get install buildah debootstrap.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { load } from 'js-yaml';
import { startMailServer } from '../../e2e/site/test-mail-server.ts';
import { letAdministratorIn } from '../image/front-door.ts';
import { openImageStore } from '../image/image-store.ts';
import { createSiteClient } from '../image/site-client.ts';
import { root } from '../install.mjs';
import { run } from './running-program.ts';
import { makeStandIns } from './stand-in-images.ts';

const { values: given } = parseArgs({ options: { 'stand-ins': { type: 'string' } } });
/** Caddy makes a certificate for such a name by itself. */
const siteHost = 'portal.local';
const email = 'ada@example.com';
const healthyWithinMs = 90_000;
const say = (text: string) => console.log(`${new Date().toLocaleTimeString('en-GB')} ${text}`);
const docker = (...parameters: string[]) => run('docker', parameters).trim();

async function attempt(directory: string): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const standIns = given['stand-ins'];
  if (standIns !== undefined) makeStandIns(openImageStore(standIns), directory);
  const deploy = path.join(directory, 'deploy');
  cpSync(path.join(root, 'deploy'), deploy, { recursive: true });
  const compose = composeIn(deploy);
  const mails = await startMailServer('0.0.0.0');
  opened.defer(() => mails.stop());
  writeFileSync(path.join(deploy, '.env'), environment(deploy, new URL(mails.url).port));
  opened.defer(() => void compose('down', '--volumes'));

  const up = async () => {
    compose('up', '--detach');
    await healthy(3);
  };
  await up();
  say('up: two processes, PostgreSQL and Caddy');
  const authority = path.join(directory, 'authority.crt');
  docker('cp', `${container('proxy')}:/data/caddy/pki/authorities/local/root.crt`, authority);
  const site = createSiteClient(443, authority, siteHost);
  opened.defer(() => site.close());
  const me = async () => (await site.order('GET', '/api/users/me'))['Email'];
  const link = /First administrator: (\S+)/.exec(docker('logs', container('site-1')))?.[1] ?? '';
  await letAdministratorIn(site, link, mails, email);
  assert.equal(await me(), email);
  say('the first administrator is inside');

  docker('kill', container('site-2'));
  for (let number = 0; number < 100; number += 1) assert.equal(await me(), email);
  say('one of the two was killed, and nobody noticed');

  const [, file = ''] = /^(\/backups\/\S+): /m.exec(compose('run', '--rm', 'backup')) ?? [];
  compose('down');
  docker('volume', 'rm', 'vestibule_database');
  assert.match(compose('run', '--rm', 'backup', 'restore', file), /Restored as of .*all as they were/);
  await up();
  assert.equal(await me(), email);
  say('backed up, the database taken away and restored; the session goes on');
}

/** The command as it is installed. The first version of it, which Debian has, knows no names of files. */
function composeIn(deploy: string): (...parameters: string[]) => string {
  const isSecond = spawnSync('docker', ['compose', 'version']).status === 0;
  const file = path.join(deploy, 'compose.yaml');
  const text = readFileSync(file, 'utf8');
  const { name } = load(text) as { name: string };
  if (!isSecond) writeFileSync(file, text.replace(/^name: .*$/m, ''));
  const [command = '', ...words] = isSecond ? ['docker', 'compose'] : ['docker-compose'];
  return (...parameters) => run(command, [...words, '--project-name', name, '--file', file, ...parameters]);
}

/** The five values, a mail server on this machine, which does not encrypt. */
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

const container = (service: string) =>
  docker('ps', '--quiet', '--filter', `label=com.docker.compose.service=${service}`);

async function healthy(count: number): Promise<void> {
  const patientUntil = Date.now() + healthyWithinMs;
  while (docker('ps', '--quiet', '--filter', 'health=healthy').split('\n').length < count) {
    assert.ok(Date.now() < patientUntil, `not healthy in time:\n${docker('ps', '--all')}`);
    await delay(500);
  }
}

const directory = mkdtempSync(path.join(tmpdir(), 'vestibule-compose-'));
try {
  await attempt(directory);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
