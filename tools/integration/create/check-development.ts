/** Part of create.ts: `npm run dev` restarts the server after failures and changes, and updates screens without reloading the page. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from '@playwright/test';
import { browserLaunch } from '../../../packages/cli/src/browser.ts';
import { signIn } from '../../../packages/testing/src/sign-in.ts';
import { connectToSite } from '../../../packages/testing/src/site.ts';
import { removeDataDirectory, spawnServer } from '../../../packages/testing/src/start-server.ts';
import { npm, type Portal } from './portal.ts';
import { report } from '../fixture.ts';

const timeoutMs = 90_000;

/** Restores the changed files, so that the portal can be used further. */
export async function checkDevelopment({ file }: Portal): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const extension = file('extensions', 'tickets', 'extension.ts');
  const screen = file('extensions', 'tickets', 'tickets-screen.tsx');
  const added = file('extensions', 'added');
  const originals = [extension, screen].map((one) => [one, readFileSync(one, 'utf8')] as const);
  cleanup.defer(() => {
    for (const [one, content] of originals) writeFileSync(one, content);
    rmSync(added, { recursive: true, force: true });
  });
  const [[, extensionCode], [, screenCode]] = originals as [(typeof originals)[0], (typeof originals)[0]];

  writeFileSync(extension, 'export default {{{');
  const server = await spawnServer({ root: file(), command: [npm, 'run', 'dev'] });
  cleanup.defer(() => removeDataDirectory(server.dataDirectory));
  cleanup.defer(() => server.stop());
  const failed = /The server has stopped\. It starts again after the next change/g;
  const started = / is ready: /g;
  const outputHas = async (pattern: RegExp, count: number) => {
    const deadline = Date.now() + timeoutMs;
    while ([...server.output().matchAll(pattern)].length < count) {
      assert.ok(Date.now() < deadline, `${String(pattern)} ${count} times:\n${server.output()}`);
      await delay(100);
    }
  };
  await outputHas(failed, 1);
  writeFileSync(extension, extensionCode);
  await outputHas(started, 1);
  const site = await connectToSite(server);
  assert.match(server.output(), new RegExp(`Mailbox: http://localhost:${server.ports.mailbox}`));
  await site.signUp(site.administrator, site.getFirstAdministratorLink());
  await site.callAsAdmin('POST', '/api/organizations', { name: 'Hotel Lindenhof', slug: 'lindenhof' });
  report('npm run dev: starts after a start that failed');

  const browser = await chromium.launch(await browserLaunch());
  cleanup.defer(() => browser.close());
  const context = await browser.newContext({ baseURL: site.url, locale: 'en-US' });
  const page = await context.newPage();
  page.setDefaultTimeout(timeoutMs);
  await signIn(page, site.administrator, '/layout/organization/lindenhof/tickets');
  await page.getByRole('button', { name: 'Open a ticket' }).waitFor();
  await page.evaluate('window.notReloaded = true');
  writeFileSync(screen, screenCode.replace('t`Open a ticket`', 't`Report a fault`'));
  await page.getByRole('button', { name: 'Report a fault' }).waitFor();
  assert.equal(await page.evaluate('window.notReloaded'), true);
  assert.equal([...server.output().matchAll(started)].length, 1);
  report('npm run dev: a changed screen appears without a reload of the page or a restart of the server');

  writeFileSync(extension, `${extensionCode}\n`);
  await outputHas(started, 2);
  mkdirSync(path.join(added, 'migrations'), { recursive: true });
  writeFileSync(
    path.join(added, 'extension.ts'),
    `import { defineExtension } from '@vestibule/server/extension';
export default defineExtension({ name: 'added', requires: '^1.1', migrations: new URL('migrations/', import.meta.url), routes: () => [] });
`,
  );
  writeFileSync(path.join(added, 'migrations', '001-added.sql'), 'create table added (id uuid primary key);');
  await outputHas(started, 3);
  report('npm run dev: the server restarts after changes and for new extensions and migrations');
}
