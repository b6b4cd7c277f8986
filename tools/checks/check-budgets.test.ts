import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { formatBudgets, isOverBudget, measureBudgets } from './check-budgets.ts';

/** Sizes in kB of the parts of a small build. Random bytes cannot be compressed. */
const parts = {
  'index.html': { kb: 6, imports: ['_shared.js'] },
  '_shared.js': { kb: 4, imports: [] },
  'src/features/auth/provider/provider-client.ts': {
    kb: 2,
    imports: ['_msal.js', '_shared.js', 'index.html'],
  },
  '_msal.js': { kb: 40, imports: [] },
  'src/features/auth/session-auth.ts': { kb: 1, imports: ['index.html'] },
  'src/features/auth/passkeys/login-panel.ts': { kb: 5, imports: ['_shared.js'] },
  'src/application.tsx': { kb: 30, imports: ['index.html', '_shared.js'] },
  'src/routes/_signed-in.tsx?tsr-split=component': { kb: 3, imports: ['src/application.tsx'] },
  'src/routes/_signed-in/layout.dashboard.tsx?tsr-split=component': { kb: 2, imports: ['_shared.js'] },
  'src/routes/_signed-in/layout.people.tsx?tsr-split=component': { kb: 7, imports: ['_shared.js'] },
  'src/routes/_signed-in/attachment.tsx?tsr-split=component': { kb: 6, imports: ['_shared.js'] },
  'src/features/attachments/preview/pdf-pages.tsx': { kb: 50, imports: ['_shared.js'] },
  'texts:en~common': { kb: 1, imports: [] },
  'texts:de~common': { kb: 1, imports: [] },
  'texts:de~more': { kb: 3, imports: [] },
  'texts:de~server': { kb: 9, imports: [] },
  'src/ui/grid/editions/grid-community.ts': { kb: 100, imports: ['_shared.js'] },
  'src/ui/grid/editions/grid-enterprise.ts': { kb: 150, imports: ['_shared.js'] },
};

async function build(changes: Partial<Record<keyof typeof parts, number>> = {}): Promise<string> {
  const dist = await mkdtemp(path.join(tmpdir(), 'vestibule-budgets-'));
  onTestFinished(() => rm(dist, { recursive: true, force: true }));
  await mkdir(path.join(dist, '.vite'));
  const manifest: Record<string, unknown> = {};
  for (const [index, [key, { kb, imports }]] of Object.entries(parts).entries()) {
    const bytes = (changes[key as keyof typeof parts] ?? kb) * 1000;
    await writeFile(path.join(dist, `${index}.js`), randomBytes(bytes));
    manifest[key] = {
      file: `${index}.js`,
      imports,
      ...(key === '_msal.js' && { name: 'msal' }),
      ...(key === 'index.html' && { css: ['login.css'] }),
    };
  }
  await writeFile(path.join(dist, 'login.css'), randomBytes(4000));
  await writeFile(path.join(dist, '.vite', 'manifest.json'), JSON.stringify(manifest));
  return dist;
}

test('the size of a part includes its imports, each counted once', async () => {
  const figures = await measureBudgets(await build());
  expect(figures.map(({ name, kb }) => [name, Math.round(kb)])).toEqual([
    ['login, JavaScript', 6 + 4 + 2],
    ['login with server sessions, JavaScript', 6 + 4 + 1],
    ['login with passkeys, JavaScript', 6 + 4 + 1 + 5],
    ['login, stylesheets', 4],
    ["provider's library (MSAL)", 40],
    ['dashboard, all JavaScript', 6 + 4 + 2 + 40 + 30 + 3 + 2 + 1],
    ['dashboard, without MSAL', 6 + 4 + 2 + 30 + 3 + 2 + 1],
    ['heaviest screen with a grid', 6 + 4 + 2 + 40 + 30 + 3 + 7 + 100 + 4],
    ['the same with AG Grid Enterprise', 6 + 4 + 2 + 40 + 30 + 3 + 7 + 150 + 4],
    ['preview of a PDF, in addition', 50],
  ]);
  expect(figures.filter(isOverBudget)).toEqual([]);
});

test('a login that exceeds its budget is marked in the table', async () => {
  const figures = await measureBudgets(await build({ '_shared.js': 12 }));
  expect(figures.filter(isOverBudget).map(({ name }) => name)).toEqual([
    'login, JavaScript',
    'login with server sessions, JavaScript',
    'login with passkeys, JavaScript',
  ]);
  expect(formatBudgets(figures)).toMatch(/login, JavaScript +20\.\d kB {2}of at most 14.5 kB {2}TOO MUCH/);
});

test('measureBudgets throws for a build without the expected chunks', async () => {
  const dist = await build();
  await writeFile(path.join(dist, '.vite', 'manifest.json'), '{"index.html":{"file":"0.js"}}');
  await expect(measureBudgets(dist)).rejects.toThrow('has no separate chunk for');
});
