/**
 * Follows docs/add-a-screen.md and docs/add-a-field.md in a copy of the project: applies their code, runs the
 * checks, builds it and tests it on a server. A mistake in the documents fails here.
 */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findViolations } from '../tools/checks/check-imports.ts';
import { linkPackages } from '../tools/link-packages.ts';
import { runQuietly } from '../packages/cli/src/run-quietly.mjs';
import { readTree } from '../tools/checks/source-imports.ts';
import { openAsAdministrator, expect, signIn, test as base } from './fixtures/site-test.ts';
import { startSite } from '../packages/testing/src/site.ts';

const root = path.dirname(import.meta.dirname);
const inPackages = (script: string) => path.join(root, 'node_modules', script);

type Copy = {
  directory: string;
  /** Paths of created and changed files. */
  files: string[];
  fieldFiles: string[];
  /** Runs a Node.js script in the copy. Throws with its output if it fails. */
  run: (script: string, parameters?: string[], within?: string) => Promise<void>;
};

/** An extension of the checkout with a setting. */
const stockExtension = `import { defineExtension } from '../platform/extensions/extension.ts';

export default defineExtension({
  name: 'stock',
  label: 'Stock',
  requires: '^1.1',
  settings: {
    smallest: { kind: 'number', label: 'Smallest stock', minimum: 0, maximum: 100, default: 10 },
  },
});
`;

const test = base.extend<object, { copy: Copy }>({
  copy: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures from a pattern.
    async ({}, use) => {
      const directory = await mkdtemp(path.join(tmpdir(), 'vestibule-copy-'));
      const run: Copy['run'] = (script, parameters = [], within = '.') =>
        runQuietly(
          `${path.basename(script)} ${parameters.join(' ')}`,
          process.execPath,
          [script, ...parameters],
          { cwd: path.join(directory, within) },
        );
      try {
        await copyProject(directory);
        const files = await followText(directory, 'add-a-screen.md');
        const fieldFiles = await followText(directory, 'add-a-field.md');
        await writeFile(path.join(directory, 'apps/server/src/extensions/stock.ts'), stockExtension);
        // The build runs first, because it adds the screen to the route tree.
        await run(inPackages('vite/bin/vite.js'), ['build', '--mode', 'test'], 'apps/web');
        await use({ directory, files, fieldFiles, run });
      } finally {
        await rm(directory, { recursive: true });
      }
    },
    { scope: 'worker' },
  ],
  site: [
    async ({ copy }, use) => {
      const site = await startSite({ root: copy.directory });
      await use(site);
      await site.stop();
    },
    { scope: 'worker' },
  ],
});

/** Copies the repository and links node_modules, with the copy's own workspace packages. */
async function copyProject(directory: string): Promise<void> {
  const skipped = new Set(['node_modules', 'dist', 'test-results', 'screenshots']);
  const isCopied = (name: string) => !skipped.has(name) && !/^\.(?:git|data|tanstack)$/.test(name);
  await cp(root, directory, { recursive: true, filter: (source) => isCopied(path.basename(source)) });
  await linkPackages(directory);
}

/** Returns the code blocks of a document that follow a file path with a colon. */
async function blocksOf(name: string) {
  const text = await readFile(path.join(root, 'docs', name), 'utf8');
  return [...text.matchAll(/`([^`\n]+)`:\n\n```(\w+)\n(.*?)^```$/gms)].map(
    ([, file = '', language = '', code = '']) => ({ file, language, code }),
  );
}

/** Applies a document's code blocks: new files, or additions to files. Returns their paths. */
async function followText(directory: string, name: string): Promise<string[]> {
  const blocks = await blocksOf(name);
  for (const { file, language, code } of blocks) {
    const target = path.join(directory, file);
    await mkdir(path.dirname(target), { recursive: true });
    if (language === 'diff') await writeFile(target, changed(await readFile(target, 'utf8'), code, file));
    else if (language !== 'po') await writeFile(target, code, { flag: 'wx' });
  }
  return blocks.map(({ file }) => file);
}

/** Inserts the `+` lines next to their context lines. Hunks are separated by `@@`. */
function changed(content: string, diff: string, file: string): string {
  return diff.split('@@\n').reduce((before, part) => {
    const lines = part.split('\n').slice(0, -1);
    const there = lines.filter((line) => !line.startsWith('+'));
    const places = before.split(there.map((line) => `${line.slice(1)}\n`).join(''));
    if (places.length !== 2)
      throw new Error(`${file} has this ${places.length - 1} times:\n${there.join('\n')}`);
    return places.join(lines.map((line) => `${line.slice(1)}\n`).join(''));
  }, content);
}

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
}) => {
  expect(findViolations(await readTree(copy.directory))).toEqual([]);
  const files = [...copy.files, ...copy.fieldFiles];
  const code = files.filter((file) => /\.tsx?$/.test(file));
  await Promise.all([
    copy.run(inPackages('typescript/bin/tsc'), ['-p', '.']),
    copy.run(inPackages('typescript/bin/tsc'), ['-p', 'apps/web']),
    copy.run(inPackages('oxlint/bin/oxlint'), ['--deny-warnings', ...code]),
    copy.run(inPackages('oxfmt/bin/oxfmt'), ['--check', ...files]),
  ]);
});

test('the tests of the added screen and field pass, as do the access and field tests that include them', async ({
  copy,
}) => {
  const report = path.join(copy.directory, 'vitest.json');
  await copy.run(inPackages('vitest/vitest.mjs'), [
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
  site,
}) => {
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

  const other = await otherBrowser();
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

test('settings of an extension of the checkout are in Settings', async ({ page, site }) => {
  await openAsAdministrator(page, site);
  await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Stock', exact: true }).click();
  await page.getByLabel('Smallest stock').fill('25');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Smallest stock')).toHaveValue('25');
});
