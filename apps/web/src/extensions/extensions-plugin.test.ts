import { EventEmitter } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, type ViteDevServer } from 'vite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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
  await writeScreens('notes', screens);
  await writeFile(path.join(directory, 'notes/extension.js'), `export default ${definition};`);
  return buildExtensions('notes');
}

async function writeScreens(extension: string, screens: string): Promise<void> {
  const folder = path.join(directory, extension);
  await mkdir(folder);
  const content = `const load = () => <p />; export default { name: '${extension}', ${screens} };`;
  await writeFile(path.join(folder, 'screens.tsx'), content);
}

function buildExtensions(...names: string[]): Promise<string> {
  const input = names.map((name) => path.join(directory, name, 'screens.tsx'));
  return build({
    configFile: false,
    logLevel: 'silent',
    root: directory,
    plugins: [extensions(directory)],
    build: { write: false, rolldownOptions: { input, external: /^react/ } },
  }).then(() => 'built', String);
}

describe('paths of screens', () => {
  test('the build fails for two screens with one path, and names both files', async () => {
    await writeScreens('first', `screens: [{ path: 'notes', load }]`);
    await writeScreens('second', `screens: [{ path: 'notes', load }]`);
    const failure = await buildExtensions('first', 'second');
    expect(failure).toContain('Two screens have the path /layout/notes');
    expect(failure).toContain('first/screens.tsx');
    expect(failure).toContain('second/screens.tsx');
  });

  test('the build fails for a screen with the path of one of the product', async () => {
    await writeScreens('notes', `screens: [{ path: 'people', load }]`);
    expect(await buildExtensions('notes')).toContain('Two screens have the path /layout/people');
  });

  test('a screen of the site and one of an organization may have the same path', async () => {
    const notes = `[{ path: 'notes', load }]`;
    await writeScreens('notes', `screens: ${notes}, organizationScreens: ${notes}`);
    expect(await buildExtensions('notes')).toBe('built');
  });
});

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

test.each([
  ['change', 'extension.js', true],
  ['change', 'locales/de.po', true],
  ['add', 'screens.tsx', true],
  ['change', 'screens.tsx', false],
  ['change', 'routes.js', false],
])('during development, Vite restarts after %s of %s: %s', async (event, file, restarts) => {
  await buildScreens('');
  const watcher = Object.assign(new EventEmitter(), { add: () => undefined });
  const restart = vi.fn<() => void>();
  const { configureServer } = extensions(directory) as { configureServer: (server: ViteDevServer) => void };
  configureServer({ watcher, restart } as unknown as ViteDevServer);
  watcher.emit('all', event, path.join(directory, 'notes', file));
  expect(restart).toHaveBeenCalledTimes(restarts ? 1 : 0);
});

test('a missing directory of extensions is not watched, which would hide changes of its parent directory', () => {
  const add = vi.fn<() => void>();
  const missing = path.join(directory, 'missing');
  const { configureServer } = extensions(missing) as { configureServer: (server: ViteDevServer) => void };
  configureServer({ watcher: Object.assign(new EventEmitter(), { add }) } as unknown as ViteDevServer);
  expect(add).not.toHaveBeenCalled();
});
