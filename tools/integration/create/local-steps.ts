/**
 * Part of create.ts: the steps that need no network, so that they run without network where the machine permits it.
 * `node tools/integration/create/local-steps.ts PORTAL [STEP…]` runs them, or single steps, in an installed portal.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { checkDevelopment } from './check-development.ts';
import { report } from '../fixture.ts';
import { checkRestoration, createData } from './check-data.ts';
import { checkProduction } from './check-production.ts';
import { builtScripts, checkRemoval } from './check-removal.ts';
import { openPortal, type Portal } from './portal.ts';

const steps: Record<string, (portal: Portal, directory: string) => Promise<void>> = {
  backup: (portal, directory) => checkRestoration(portal, path.join(directory, 'portal.backup')),
  production: checkProduction,
  test: checkTests,
  development: checkDevelopment,
  removal: checkRemoval,
};

const [directory = '', ...selected] = process.argv.slice(2);
const portal = openPortal(path.resolve(directory));
rmSync(portal.dataDirectory, { recursive: true, force: true });
await portal.withSite(async (site) => {
  assert.match(await (await fetch(site.url)).text(), /<title>Vestibule<\/title>/);
  await createData(site);
  assert.match(builtScripts(portal), /tickets-screen/);
});
report('npm start: the page, sign-in, and the route and screen of the extension');
for (const [name, check] of Object.entries(steps))
  if (selected.length === 0 || selected.includes(name)) await check(portal, path.dirname(portal.directory));

/** The second run is that of a portal without translations. */
async function checkTests({ npm, file }: Portal): Promise<void> {
  await npm('test');
  report('npm test');
  rmSync(file('extensions', 'tickets', 'locales'), { recursive: true });
  await npm('test', '--', 'tickets.test');
  report('npm test without translations');
}
