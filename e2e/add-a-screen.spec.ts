/**
 * Follows docs/add-a-screen.md and docs/add-a-field.md in a copy of the project: applies their code, runs the
 * checks, builds it and tests it on a server. A mistake in the documents fails here.
 */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findViolations } from '../tools/checks/check-imports.ts';
import { linkPackages } from '../tools/link-packages.ts';
import { runQuietly } from '../tools/run-quietly.mjs';
import { readTree } from '../tools/checks/source-imports.ts';
import { openAsAdministrator, expect, signIn, test as base } from './fixtures/site-test.ts';
import { startSite } from './fixtures/site.ts';

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
        await run('tools/texts.ts');
        await translate(directory);
        // The build runs first, because it adds the screen to the route tree.
        await run(inPackages('vite/bin/vite.js'), ['build'], 'apps/web');
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

/** Adds the translations given in the documents. */
async function translate(directory: string): Promise<void> {
  for (const { file, language, code } of await blocksOf('add-a-field.md')) {
    if (language !== 'po') continue;
    const target = path.join(directory, file);
    const entries = code.trim().split('\n\n');
    const filled = entries.reduce(
      (before, entry) => before.replace(entry.replace(/msgstr ".*"/, 'msgstr ""'), entry),
      await readFile(target, 'utf8'),
    );
    await writeFile(target, filled);
  }
}

test('docs/add-a-screen.md adds the five files that its table lists', async ({ copy }) => {
  const text = await readFile(path.join(copy.directory, 'docs', 'add-a-screen.md'), 'utf8');
  const named = [...text.matchAll(/^\| `([^`]+)` /gm)].map(([, file]) => file);
  expect(copy.files).toEqual(named);
  expect(copy.files).toHaveLength(5);
});

test('docs/add-a-field.md changes at most fifteen files, as its table lists', async ({ copy }) => {
  const text = await readFile(path.join(copy.directory, 'docs', 'add-a-field.md'), 'utf8');
  const named = [...text.matchAll(/^\| `([^`]+)` /gm)].map(([, file]) => file);
  expect(copy.fieldFiles).toEqual(named);
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

test('the texts and error messages of the added screen and field are extracted for translation', async ({
  copy,
}) => {
  const german = await readFile(path.join(copy.directory, 'apps/web/src/locales/de.po'), 'utf8');
  for (const id of ['Mark as shipped', 'order.already_shipped']) expect(german).toContain(`msgid "${id}"`);
  expect(german).toContain('msgid "Company"\nmsgstr "Firma"');
  expect(german).not.toMatch(/msgid "[^"]*\bcompany\b[^"]*"\nmsgstr ""/i);
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
  ]);
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as {
    testResults: { assertionResults: { title: string }[] }[];
  };
  const titles = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ title }) => title));
  expect(titles).toContain('an order is shipped once, and the log says by whom');
  expect(titles).toContain('a list has one company; a longer text than one line is refused');
  expect(titles.filter((title) => title.startsWith('stranger calling POST /api/orders'))).toHaveLength(1);
});

test("the added screen is in the menu, sorts and searches, and shows an administrator's change to a member immediately", async ({
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
});

test('the added field "company" is in the invitation form, in both lists and on the person\'s page', async ({
  page,
  site,
}) => {
  const member = await site.createMember();
  await openAsAdministrator(page, site, '/layout/invitations');
  await page.getByRole('button', { name: 'Invite someone' }).first().click();
  await page.getByLabel('E-mail addresses').fill('ann@example.com');
  await page.getByLabel('Company (optional)').fill('Hotel Lindenhof');
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await page.getByRole('searchbox').fill('lindenhof');
  const first = page.getByRole('row').nth(1);
  await expect(first).toContainText('Hotel Lindenhof');

  await page.goto('/layout/people');
  await expect(page.getByRole('columnheader', { name: 'Company' })).toBeVisible();
  await page.goto(`/layout/people/${await site.getPersonId(member)}`);
  await expect(page.getByText('Company', { exact: true })).toBeVisible();
});
