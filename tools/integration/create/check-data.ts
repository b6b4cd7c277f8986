/** Part of create.ts: a portal's data after a backup and a restoration. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createDataDirectory, removeDataDirectory } from '../../../packages/testing/src/start-server.ts';
import { report } from '../fixture.ts';
import type { Portal, PortalSite } from './portal.ts';

export const subject = 'The heating is off';
const organization = { name: 'Hotel Lindenhof', slug: 'lindenhof' };
const closeAfterDays = 9;

/** Signs up the first administrator, opens a ticket and changes a setting. */
export async function createData(site: PortalSite): Promise<void> {
  await site.signUp(site.administrator, site.getFirstAdministratorLink());
  const { id } = await site.createOrganization(organization);
  await site.callAsAdmin('POST', `/api/organizations/${id}/tickets`, {
    subject,
    description: 'Since Monday.',
  });
  const { status, body } = await site.call(site.administrator, 'PATCH', '/api/extensions/tickets/settings', {
    values: { closeAfterDays },
  });
  assert.equal(status, 200, `A changed setting has to be stored: ${JSON.stringify(body)}`);
}

/** Returns the subjects of the organization's tickets by the extension's route. */
export async function readTickets(site: PortalSite): Promise<string[]> {
  const [{ id } = {}] = await site.sql('select id from organizations where slug = $1', [organization.slug]);
  const { rows } = await site.callAsAdmin('GET', `/api/organizations/${String(id)}/tickets`);
  return (rows as { subject: string }[]).map((row) => row.subject);
}

export async function checkRestoration(portal: Portal, backup: string): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const { dataDirectory } = portal;
  // The running portal runs the database.
  await portal.withSite(async () => {
    await portal.npmWith({ DATA_DIR: dataDirectory }, 'run', 'backup', '--', backup);
    await portal.npmWith({ DATA_DIR: dataDirectory }, 'run', 'audit:verify');
  });
  report('npm run backup, npm run audit:verify');

  const restored = await createDataDirectory();
  cleanup.defer(() => removeDataDirectory(restored));
  const env = { SECRET: readFileSync(`${dataDirectory}/secret`, 'utf8').trim() };
  await portal.npmWith({ ...env, DATA_DIR: restored }, 'run', 'restore', '--', backup);
  await portal.withSite(
    async (site) => {
      // By SQL: accounts of the sign-in service for development are not in the backup.
      assert.deepEqual(await site.sql('select subject from tickets'), [{ subject }]);
      assert.deepEqual(
        await site.sql(`select value ->> 'closeAfterDays' as days from extension_settings`),
        [{ days: String(closeAfterDays) }],
        'The changed setting has to be in the restored database.',
      );
    },
    { dataDirectory: restored, env },
  );
  report('npm run restore: the ticket and the changed setting are in an empty data directory');
}
