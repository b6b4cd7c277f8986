/** Part of create.ts: an extension with data is removed and added again. */
import assert from 'node:assert/strict';
import { readdirSync, renameSync } from 'node:fs';
import { report } from '../fixture.ts';
import { readTickets, subject } from './check-data.ts';
import type { Portal } from './portal.ts';

export async function checkRemoval(portal: Portal): Promise<void> {
  const [installed, removed] = [portal.file('extensions', 'tickets'), portal.file('tickets')];
  renameSync(installed, removed);
  try {
    await portal.withSite(async (site) => {
      assert.match(
        site.server.output(),
        /the extension tickets is not installed, but its tables remain\. To delete its data: drop table tickets;/,
      );
      await assert.rejects(readTickets(site), /404/);
      assert.deepEqual(await site.sql('select subject from tickets'), [{ subject }]);
      assert.doesNotMatch(builtScripts(portal), /tickets-screen/);
    });
  } finally {
    renameSync(removed, installed);
  }
  report('a removed extension: npm start names the tables, which remain');
  await portal.withSite(async (site) => assert.deepEqual(await readTickets(site), [subject]));
  report('an extension that was removed and added again: starts with its data');
}

/** Returns the names of the scripts of the built web application. */
export const builtScripts = (portal: Portal): string =>
  readdirSync(portal.file('.vestibule', 'web', 'assets')).join('\n');
