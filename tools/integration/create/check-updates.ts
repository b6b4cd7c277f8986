/** Part of create.ts: updates of a portal to the next minor and major version. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { report } from '../fixture.ts';
import { readTickets, subject } from './check-data.ts';
import type { Portal } from './portal.ts';
import { addedColumn, nextApiVersion, renamed } from './releases.ts';

const installed = ['server', 'web', 'contract', 'cli', 'testing', 'b2c-emulator', 'dev-mailbox'];
/** Packages in package.json of the portal, as docs/build-a-portal.md installs them. */
const ours = ['contract', 'server', 'cli', 'testing', 'web'];
const quietly = ['--no-audit', '--no-fund'];

/** The update has a migration of the database. */
export async function checkMinorUpdate(portal: Portal, version: string): Promise<void> {
  await portal.npm('update', ...quietly);
  assertInstalled(portal, version);
  await portal.withSite(async (site) => {
    assert.deepEqual(await readTickets(site), [subject]);
    assert.deepEqual(await site.sql(`select distinct ${addedColumn} as added from people`), [
      { added: 'next version' },
    ]);
  });
  report(`npm update to ${version}: npm start migrates the database, its data remains`);
}

/** The update removes a function that the extension uses, and raises the major version of the extension API. */
export async function checkMajorUpdate(portal: Portal, version: string): Promise<void> {
  await portal.npm('install', ...quietly, ...ours.map((name) => `@vestibule/${name}@${version}`));
  assertInstalled(portal, version);

  const checked = await portal.npm('test').then(String, String);
  assert.match(checked, new RegExp(`extensions/tickets/extension\\.ts.*${renamed.from}`));
  assert.doesNotMatch(checked, /Server tests/);
  const page = 'node_modules/@vestibule/server/docs/build-a-portal.md lists the versions.';
  const versions = `requires version ^1.1 of the extension API; this server has ${nextApiVersion}.`;
  await expectStartError(
    portal,
    `The extension tickets/extension.ts imports ${renamed.from}, which @vestibule/server/extension does not have. It ${versions} ${page}`,
  );
  report(`npm install of ${version}: the type check and the start name the extension, versions and page`);

  portal.edit('extensions/tickets/extension.ts', renamed.from, renamed.to);
  await expectStartError(portal, `The extension tickets (tickets/extension.ts) ${versions} ${page}`);
  portal.edit('extensions/tickets/extension.ts', `requires: '^1.1'`, `requires: '^2.0'`);
  await portal.withSite(async (site) => assert.deepEqual(await readTickets(site), [subject]));
  report('the adjusted extension starts with its data');
}

async function expectStartError(portal: Portal, message: string): Promise<void> {
  const output = await portal.readStartError();
  assert.ok(output.includes(message), `The start has to fail with: ${message}\n${output}`);
  assert.doesNotMatch(output, /^ {4}at /m);
}

function assertInstalled(portal: Portal, version: string): void {
  for (const name of installed) {
    const file = portal.file('node_modules', '@vestibule', name, 'package.json');
    assert.equal((JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version, version, name);
  }
}
