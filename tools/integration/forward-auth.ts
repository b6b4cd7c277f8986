/**
 * `node tools/integration/forward-auth.ts [caddy] [nginx] [haproxy]`: tests the files of deploy/forward-auth with real proxies in front
 * of Radicale and Node-RED, over TLS with a host for each, by HTTPS requests and in Chromium. Needs apt-get install caddy nginx
 * haproxy radicale; installs Node-RED from npm.
 */
import assert from 'node:assert/strict';
import { chromium } from '@playwright/test';
import { browserLaunch } from '../../packages/cli/src/browser.ts';
import { findFreePorts } from '../../packages/testing/src/start-server.ts';
import { report, runTest } from './fixture.ts';
import { startNodeRed, startRadicale } from './forward-auth/applications.ts';
import { cases } from './forward-auth/cases.ts';
import { journeys } from './forward-auth/journeys.ts';
import { createCertificates, proxyNames } from './forward-auth/proxies.ts';
import { startProtectedSite } from './forward-auth/site.ts';

await runTest(async (directory, cleanup) => {
  const named = process.argv.slice(2);
  assert.ok(
    named.every((name) => (proxyNames as readonly string[]).includes(name)),
    `Name ${proxyNames.join(', ')}`,
  );
  const authority = createCertificates(directory);
  const { web: radicale, smtp: nodeRed } = await findFreePorts();
  await startRadicale(cleanup, directory, radicale);
  await startNodeRed(cleanup, directory, nodeRed);
  const launch = await browserLaunch();
  const browser = await chromium.launch({
    ...launch,
    args: [...(launch.args ?? []), '--host-resolver-rules=MAP *.test 127.0.0.1'],
  });
  cleanup.defer(() => browser.close());
  for (const proxy of proxyNames.filter((name) => named.length === 0 || named.includes(name))) {
    await using stack = new AsyncDisposableStack();
    const site = await startProtectedSite(stack, proxy, { directory, radicale, nodeRed, authority });
    for (const [title, run] of cases) {
      await run(site);
      report(`${proxy}: ${title}`);
    }
    for (const [title, run] of journeys) {
      await run(site, browser);
      report(`${proxy}: ${title}`);
    }
  }
});
