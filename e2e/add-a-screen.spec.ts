/**
 * docs/add-a-screen.md, followed: its files are put into a copy of the project, checked as `npm test` checks, built, and tried
 * on a server of their own. A text that is wrong fails here.
 */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findViolations } from '../tools/check-imports.ts';
import { runQuietly } from '../tools/run-quietly.mjs';
import { readTree } from '../tools/source-imports.ts';
import { enter, expect, signIn, test as base } from './journey.ts';
import { startSite } from './running-site.ts';

const root = path.dirname(import.meta.dirname);
const inPackages = (script: string) => path.join(root, 'node_modules', script);

type Copy = {
  directory: string;
  /** The files of the text, by their paths. */
  files: string[];
  /** Runs a program of Node.js in the copy; throws what it printed when it fails. */
  run: (script: string, parameters?: string[], within?: string) => Promise<void>;
};

const test = base.extend<object, { copy: Copy }>({
  copy: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants a pattern, and this fixture needs no other
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
        const files = await followText(directory);
        // First, since it writes the screen into the tree of routes.
        await run(inPackages('vite/bin/vite.js'), ['build'], 'apps/web');
        await use({ directory, files, run });
      } finally {
        await rm(directory, { recursive: true });
      }
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  site: [
    async ({ copy }, use) => {
      const site = await startSite({ root: copy.directory });
      await use(site);
      await site.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
});

/** All that is kept in the repository, with the packages linked; those of the workspace are the copy's own. */
async function copyProject(directory: string): Promise<void> {
  const left = new Set(['node_modules', 'dist', 'test-results', 'screenshots']);
  const isKept = (name: string) => !left.has(name) && !/^\.(?:git|data|tanstack)$/.test(name);
  await cp(root, directory, { recursive: true, filter: (source) => isKept(path.basename(source)) });
  const packages = path.join(directory, 'node_modules');
  await mkdir(path.join(packages, '@vestibule'), { recursive: true });
  for (const name of await readdir(path.join(root, 'node_modules')))
    if (!name.startsWith('.') && name !== '@vestibule')
      await symlink(path.join(root, 'node_modules', name), path.join(packages, name), 'junction');
  for (const workspace of ['apps', 'packages'])
    for (const name of await readdir(path.join(directory, workspace)))
      await symlink(
        path.join(directory, workspace, name),
        path.join(packages, '@vestibule', name),
        'junction',
      );
}

/** Writes the files of the text: a block of code below a line that is nothing but a path and a colon. */
async function followText(directory: string): Promise<string[]> {
  const text = await readFile(path.join(root, 'docs', 'add-a-screen.md'), 'utf8');
  const files: string[] = [];
  for (const [, file = '', code = ''] of text.matchAll(/^`([^`\n]+)`:\n\n```\w+\n(.*?)^```$/gms)) {
    await mkdir(path.dirname(path.join(directory, file)), { recursive: true });
    await writeFile(path.join(directory, file), code, { flag: 'wx' });
    files.push(file);
  }
  return files;
}

test.describe.configure({ timeout: 90_000 });

test('the text of adding a screen is five new files, as its own table names them', async ({ copy }) => {
  const text = await readFile(path.join(copy.directory, 'docs', 'add-a-screen.md'), 'utf8');
  const named = [...text.matchAll(/^\| `([^`]+)` /gm)].map(([, file]) => file);
  expect(copy.files).toEqual(named);
  expect(copy.files).toHaveLength(5);
});

test('they keep the rules: types, who imports whom, lint and format', async ({ copy }) => {
  expect(findViolations(await readTree(copy.directory))).toEqual([]);
  const code = copy.files.filter((file) => /\.tsx?$/.test(file));
  await Promise.all([
    copy.run(inPackages('typescript/bin/tsc'), ['-p', '.']),
    copy.run(inPackages('typescript/bin/tsc'), ['-p', 'apps/web']),
    copy.run(inPackages('oxlint/bin/oxlint'), ['--type-aware', '--deny-warnings', ...code]),
    copy.run(inPackages('oxfmt/bin/oxfmt'), ['--check', ...copy.files]),
  ]);
});

test('their texts go to the translators, those of the errors too', async ({ copy }) => {
  await copy.run('tools/texts.ts');
  const german = await readFile(path.join(copy.directory, 'apps/web/src/locales/de.po'), 'utf8');
  for (const id of ['Mark as shipped', 'order.already_shipped']) expect(german).toContain(`msgid "${id}"`);
});

test('their own test passes, and that of who may call what, with their routes in it', async ({ copy }) => {
  const report = path.join(copy.directory, 'vitest.json');
  await copy.run(inPackages('vitest/vitest.mjs'), [
    'run',
    '--project=server',
    '--reporter=json',
    `--outputFile=${report}`,
    'src/rooms',
    'src/platform/http/access',
  ]);
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as {
    testResults: { assertionResults: { title: string }[] }[];
  };
  const titles = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ title }) => title));
  expect(titles).toContain('an order is shipped once, and the log says by whom');
  expect(titles.filter((title) => title.startsWith('stranger calling POST /api/orders'))).toHaveLength(1);
});

test('the API: members read, sort, search and filter within limits; strangers and members may not more', async ({
  site,
}) => {
  const member = await site.member();
  const numbers = async (query: Record<string, string>) => {
    const { answer } = await site.call(member, 'GET', `/api/orders?${new URLSearchParams(query).toString()}`);
    return (answer['rows'] as { number: string }[]).map(({ number }) => number);
  };
  expect((await fetch(`${site.url}/api/orders`)).status).toBe(401);
  expect(await numbers({ limit: '2' })).toEqual(['A-1120', 'A-1119']);
  expect(await numbers({ limit: '2', sort: 'number', offset: '1' })).toEqual(['A-1002', 'A-1003']);
  expect(await numbers({ search: 'a-1077' })).toEqual(['A-1077']);
  const filters = [
    { column: 'state', is: 'oneOf', values: ['shipped'] },
    { column: 'pieces', is: 'between', from: 49, to: 51 },
  ];
  expect(await numbers({ filters: JSON.stringify(filters), sort: 'number' })).toEqual(['A-1064']);

  for (const query of ['limit=501', 'sort=shipped_at', 'offset=-1'])
    expect((await site.call(member, 'GET', `/api/orders?${query}`)).status, query).toBe(400);
  const { answer } = await site.call(member, 'GET', '/api/orders?limit=1');
  const [order] = answer['rows'] as { id: string }[];
  expect((await site.call(member, 'POST', `/api/orders/${order?.id}/ship`)).status).toBe(403);
  const unknown = `/api/orders/${await site.idOf(member)}/ship`;
  expect(await site.call(site.administrator, 'POST', unknown)).toMatchObject({
    status: 404,
    answer: { code: 'order.not_found' },
  });
});

test('the browser: in the menu, sorted by a header, searched; what an administrator ships, a member sees at once', async ({
  page,
  otherBrowser,
  site,
}) => {
  const member = await site.member();
  await signIn(page, member);
  await page.getByRole('navigation').getByRole('link', { name: 'Orders' }).click();
  await expect(page).toHaveURL('/layout/orders');
  await expect(page.locator('.grid-count')).toHaveText('120 orders');
  // The first row is that of the headers.
  const first = page.getByRole('row').nth(1);
  await expect(first).toContainText('A-1120');
  await page.getByRole('columnheader', { name: 'Number' }).click();
  await expect(first).toContainText('A-1001');
  await page.getByRole('searchbox').fill('1077');
  await expect(first).toContainText('A-1077');
  await expect(first).toContainText('Open');
  await expect(page.getByRole('button', { name: 'Actions' })).toHaveCount(0);

  const other = await otherBrowser();
  await enter(other, site);
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
