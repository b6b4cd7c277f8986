import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../install.mjs';
import { copyFiles, packages, withJavaScriptPaths } from './pack.ts';
import { packageJson } from './package-json.ts';

test('a packed package.json names JavaScript with declarations, and our packages of the same version', () => {
  const manifest = {
    name: '@v/server',
    version: '1.0.0',
    private: true,
    scripts: { build: 'tsc' },
    exports: { './extension': './src/extension.ts', './*': './src/*.ts', './style.css': './style.css' },
    bin: { server: './src/cli.ts' },
    dependencies: { '@v/contract': '^1.0.0', zod: '^4.0.0' },
    optionalDependencies: { '@v/mailbox': '^1.0.0' },
    devDependencies: { vite: '^8.0.0' },
  };
  const names = ['@v/server', '@v/contract', '@v/mailbox'];
  expect(packageJson(manifest, { names, version: '1.2.0', shipsSources: false })).toEqual({
    name: '@v/server',
    version: '1.2.0',
    exports: {
      './extension': { types: './src/extension.d.ts', default: './src/extension.js' },
      './*': { types: './src/*.d.ts', default: './src/*.js' },
      './style.css': './style.css',
    },
    bin: { server: './src/cli.js' },
    dependencies: { '@v/contract': '^1.2.0', zod: '^4.0.0' },
    optionalDependencies: { '@v/mailbox': '^1.2.0' },
  });
  expect(packageJson(manifest, { names, version: '1.2.0', shipsSources: true })).toMatchObject({
    dependencies: { '@v/contract': '^1.2.0', zod: '^4.0.0', vite: '^8.0.0' },
  });
});

test('paths of modules end in .js, paths of other files and packages stay', () => {
  const rewrites = [
    [`from './a.ts'`, `from './a.js'`],
    [`from 'package/c.ts'`, `from 'package/c.ts'`],
    [`new URL('worker.ts', import.meta.url)`, `new URL('worker.js', import.meta.url)`],
    [`new URL('pages.css', import.meta.url)`, `new URL('pages.css', import.meta.url)`],
  ];
  for (const [given = '', expected] of rewrites) expect(withJavaScriptPaths(given)).toBe(expected);
});

test('the server contains the guide that its messages name, and the pages it links to', async () => {
  const stage = await mkdtemp(path.join(tmpdir(), 'vestibule-pack-'));
  const server = packages.find(({ directory }) => directory === 'apps/server');
  if (server) await copyFiles(server, stage);
  const guide = await readFile(path.join(stage, 'docs/build-a-portal.md'), 'utf8');
  const linked = [...guide.matchAll(/\]\(([\w-]+\.md)/g)].map(([, file = '']) => file);
  expect(linked).toContain('run-it.md');
  expect(linked.filter((file) => !existsSync(path.join(stage, 'docs', file)))).toEqual([]);
  await rm(stage, { recursive: true });
});

test('every packed directory has a package.json', () => {
  const without = packages.filter(({ directory }) => !existsSync(path.join(root, directory, 'package.json')));
  expect(without).toEqual([]);
});
