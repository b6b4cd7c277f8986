import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'vite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { extensions } from '../../extensions-plugin.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'extensions-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** Builds the screens of an extension `notes`, whose definition is `definition`. Returns the error, or `built`. */
async function buildScreens(
  screens: string,
  definition = `{ name: 'notes', permissions: [{ name: 'notes.read', label: 'See notes' }] }`,
): Promise<string> {
  const folder = path.join(directory, 'notes');
  await mkdir(folder);
  await writeFile(path.join(folder, 'extension.js'), `export default ${definition};`);
  const file = path.join(folder, 'screens.tsx');
  await writeFile(file, `const load = () => <p />; export default { name: 'notes', ${screens} };`);
  return build({
    configFile: false,
    logLevel: 'silent',
    root: directory,
    plugins: [extensions(directory)],
    build: { write: false, rolldownOptions: { input: file, external: /^react/ } },
  }).then(() => 'built', String);
}

describe('permissions of screens', () => {
  test.each([
    [`screens: [{ path: 'notes', permission: 'notes.raed', load }]`, 'The screen notes'],
    [
      `organizationScreens: [{ load, path: 'notes/$noteId', permission: 'notes.raed' }]`,
      'The screen notes/$noteId',
    ],
    [`dashboardCards: [{ id: 'newest', permission: 'notes.raed', load }]`, 'The dashboard card newest'],
  ])('the build fails for an unknown one: %s', async (screens, part) => {
    const failure = await buildScreens(screens);
    expect(failure).toContain(
      `${part} of the extension notes needs the permission notes.raed, which no extension defines. Known permissions: organization.read, `,
    );
    expect(failure).toMatch(/, notes\.read\.$/m);
  });

  test('those of the extension and of Vestibule are known', async () => {
    const screens = `screens: [{ path: 'notes', permission: 'notes.read', load }]`;
    const cards = `dashboardCards: [{ id: 'newest', permission: 'members.read', load }]`;
    expect(await buildScreens(`${screens}, ${cards}`)).toBe('built');
  });

  test('are not checked if an extension is a function', async () => {
    const screens = `screens: [{ path: 'notes', permission: 'notes.other', load }]`;
    expect(await buildScreens(screens, '() => ({})')).toBe('built');
  });
});
