/**
 * Follows docs/add-a-screen.md and docs/add-a-field.md in a copy of the project: applies their code, runs the
 * checks, builds it and tests it on a server. A mistake in the documents fails here.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { findViolations } from '../tools/checks/check-imports.ts';
import { runQuietly } from '../packages/cli/src/run-quietly.mjs';
import { readTree } from '../tools/checks/source-imports.ts';
import { openAsAdministrator, expect, signIn } from './fixtures/site-test.ts';
import { test as base } from './fixtures/portal-test.ts';
import type { Copy } from './fixtures/project-copy.ts';

const root = path.dirname(import.meta.dirname);

const test = base.extend({ baseURL: async ({ copySite }, use) => use(copySite.url) });

/** Runs an installed Node.js script in the copy. Throws an Error with its output if it fails. */
const run = ({ directory }: Copy, script: string, parameters: string[]) =>
  runQuietly(
    `${path.basename(script)} ${parameters.join(' ')}`,
    process.execPath,
    [path.join(root, 'node_modules', script), ...parameters],
    { cwd: directory },
  );

test('docs/add-a-screen.md adds five files and docs/add-a-field.md changes at most fifteen, as their tables list', async ({
  copy,
}) => {
  for (const [name, files] of [
    ['add-a-screen.md', copy.files],
    ['add-a-field.md', copy.fieldFiles],
  ] as const) {
    const text = await readFile(path.join(root, 'docs', name), 'utf8');
    expect(files).toEqual([...text.matchAll(/^\| `([^`]+)` /gm)].map(([, file]) => file));
    for (const [, translated] of text.matchAll(/^msgid "(.+)"$/gm))
      expect(text).toContain(`t\`${translated}\``);
  }
  expect(copy.files).toHaveLength(5);
  expect(copy.fieldFiles.length).toBeLessThanOrEqual(15);
});

test('the project with the added screen and field passes types, import rules, lint and format', async ({
  copy,
  // Its build adds the screen to the route tree.
  portal: _portal,
}) => {
  expect(findViolations(await readTree(copy.directory))).toEqual([]);
  const files = [...copy.files, ...copy.fieldFiles];
  const code = files.filter((file) => /\.tsx?$/.test(file));
  await Promise.all([
    run(copy, 'typescript/bin/tsc', ['-p', '.']),
    run(copy, 'typescript/bin/tsc', ['-p', 'apps/web']),
    run(copy, 'oxlint/bin/oxlint', ['--deny-warnings', ...code]),
    run(copy, 'oxfmt/bin/oxfmt', ['--check', ...files]),
  ]);
});

test('the tests of the added screen and field pass, as do the access and field tests that include them', async ({
  copy,
}) => {
  const report = path.join(copy.directory, 'vitest.json');
  await run(copy, 'vitest/vitest.mjs', [
    'run',
    '--project=server',
    '--reporter=json',
    `--outputFile=${report}`,
    'src/extensions',
    'src/platform/http/access',
    'src/features/people/company',
    'src/every-field',
    // In one worker the files share the loaded server. The routes of the product are tested elsewhere.
    '--maxWorkers=1',
    '--testNamePattern=^(?!.* calling )|/api/orders',
  ]);
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as {
    testResults: { assertionResults: { title: string; status: string }[] }[];
  };
  const titles = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .flatMap(({ title, status }) => (status === 'passed' ? [title] : []));
  expect(titles).toContain('an order is shipped once, and the log says by whom');
  expect(titles).toContain('a list has one company; a longer text than one line is refused');
  expect(titles.filter((title) => title.startsWith('stranger calling POST /api/orders'))).toHaveLength(1);
});

test('the added screen is in the menu, sorts, searches and updates live, and the added field is on its screens', async ({
  page,
  otherBrowser,
  copySite: site,
  expectConsole,
}) => {
  expectConsole(
    /status of 404 .*\/tickets/,
    'the dashboard has a card of an extension that this server does not load',
  );
  expectConsole(/The faulty finder is not loaded|No plans\./, 'the build has an extension that fails');
  const member = await site.createMember();
  await signIn(page, member);
  await page.getByRole('navigation').getByRole('link', { name: 'Orders' }).click();
  await expect(page).toHaveURL('/layout/orders');
  await expect(page.locator('.grid-count')).toHaveText('120 orders');
  // Row 0 contains the headers, so row 1 is the first order.
  const first = page.getByRole('row').nth(1);
  await expect(first).toContainText('A-1120');
  await page.getByRole('columnheader', { name: 'Number' }).click();
  await expect(first).toContainText('A-1001');
  await page.getByRole('searchbox').fill('1077');
  await expect(first).toContainText('A-1077');
  await expect(first).toContainText('Open');
  await expect(page.getByRole('button', { name: 'Actions' })).toHaveCount(0);

  const other = await otherBrowser({ baseURL: site.url });
  await openAsAdministrator(other, site);
  await other.keyboard.press('Control+k');
  await other.getByRole('combobox').fill('orders');
  await other.getByRole('option', { name: 'Orders', exact: true }).click();
  await other.getByRole('searchbox').fill('1077');
  await expect(other.locator('.grid-count')).toContainText('1 order');
  await other.getByRole('button', { name: 'Actions' }).click();
  await other.getByRole('menuitem', { name: 'Mark as shipped' }).click();
  await expect(other.getByText('A-1077 is on its way.')).toBeVisible();
  await expect(first).toContainText('Shipped');

  await other.getByRole('navigation').getByRole('link', { name: 'Invitations' }).click();
  await other.getByRole('button', { name: 'Invite someone' }).first().click();
  await other.getByLabel('E-mail addresses').fill('ann@example.com');
  await other.getByLabel('Company (optional)').fill('Hotel Lindenhof');
  await other.getByRole('button', { name: 'Send invitation' }).click();
  await other.getByRole('searchbox').fill('lindenhof');
  await expect(other.getByRole('row').nth(1)).toContainText('Hotel Lindenhof');
  await other.getByRole('navigation').getByRole('link', { name: 'People' }).click();
  await expect(other.getByRole('columnheader', { name: 'Company' })).toBeVisible();
  await other.goto(`/layout/people/${await site.getPersonId(member)}`);
  await expect(other.getByText('Company', { exact: true })).toBeVisible();
});
