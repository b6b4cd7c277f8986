/** Tests `npm run release` in a temporary repository: what prevents a release and what it changes (O6). */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeSection, release, type Release } from './create-release.ts';

const kept = 'apps/server/src/platform/backup/versions/1.0.0.backup';
const changelog = `# Changelog

## Unreleased

- **Doors.** They open, for $1 and $&.

## 0.1.0

- **Walls.**
`;
let root: string;
let checks: number;

const git = (...parameters: string[]) =>
  execFileSync('git', parameters, { cwd: root, encoding: 'utf8' }).trim();
const write = (file: string, content: unknown) => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(
    path.join(root, file),
    typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`,
  );
};
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'vestibule-release-'));
  checks = 0;
  const server = {
    name: '@v/server',
    version: '0.1.0',
    dependencies: { '@v/contract': '^0.1.0', zod: '^4.0.0' },
  };
  write('package.json', { name: 'v', version: '0.1.0' });
  write('apps/server/package.json', server);
  write('packages/contract/package.json', { name: '@v/contract', version: '0.1.0' });
  write('package-lock.json', {
    name: 'v',
    version: '0.1.0',
    packages: {
      '': { name: 'v', version: '0.1.0' },
      'apps/server': server,
      'packages/contract': { name: '@v/contract', version: '0.1.0' },
      'node_modules/zod': { version: '0.1.0' },
    },
  });
  write('CHANGELOG.md', changelog);
  write('deploy/kubernetes/kustomization.yaml', 'images:\n  - newTag: 0.1.0\n');
  write('deploy/Dockerfile', 'FROM scratch\nARG VERSION=0.1.0\n');
  write('apps/server/src/platform/backup/versions/0.1.0.backup', 'a site');
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'Maintainer');
  git('config', 'user.email', 'maintainer@example.com');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'all of it');
});
afterEach(() => rmSync(root, { recursive: true }));

const attempt = (given: Partial<Release> = {}) =>
  release({
    root,
    version: '1.0.0',
    day: '2026-11-30',
    isDryRun: false,
    check: async () => void (checks += 1),
    createVersionBackup: async (file) => writeFileSync(file, 'a site of 1.0.0'),
    log: () => {},
    ...given,
  });

test('a release sets all versions, closes the changelog section, creates a backup, commits and tags', async () => {
  expect(await attempt()).toBe('- **Doors.** They open, for $1 and $&.');
  expect(checks).toBe(1);
  expect(read('CHANGELOG.md')).toBe(
    changelog.replace('## Unreleased\n', () => '## Unreleased\n\n## 1.0.0 · 2026-11-30\n'),
  );
  expect(JSON.parse(read('apps/server/package.json'))).toEqual({
    name: '@v/server',
    version: '1.0.0',
    dependencies: { '@v/contract': '^1.0.0', zod: '^4.0.0' },
  });
  const lock = JSON.parse(read('package-lock.json'));
  expect([lock.version, lock.packages[''].version, lock.packages['packages/contract'].version]).toEqual([
    '1.0.0',
    '1.0.0',
    '1.0.0',
  ]);
  expect(lock.packages['apps/server'].dependencies).toEqual({ '@v/contract': '^1.0.0', zod: '^4.0.0' });
  expect(lock.packages['node_modules/zod'].version).toBe('0.1.0');
  expect(read('deploy/kubernetes/kustomization.yaml')).toBe('images:\n  - newTag: 1.0.0\n');
  expect(read('deploy/Dockerfile')).toBe('FROM scratch\nARG VERSION=1.0.0\n');
  expect(read(kept)).toBe('a site of 1.0.0');
  expect(git('status', '--porcelain')).toBe('');
  expect(git('log', '-1', '--format=%s')).toBe('release: 1.0.0');
  expect(git('describe', '--exact-match')).toBe('v1.0.0');
  expect(git('tag', '--list', '--format=%(contents)', 'v1.0.0')).toContain('for $1 and $&.');
});

test('a dry run runs the checks, prints notes and changes, and changes nothing', async () => {
  const before = git('rev-parse', 'HEAD');
  let said = '';
  expect(await attempt({ isDryRun: true, log: (line) => void (said += line) })).toContain('Doors');
  for (const part of [kept, 'CHANGELOG.md', 'commit', 'v1.0.0', 'nothing was changed'])
    expect(said).toContain(part);
  expect(said).toContain(
    'package.json, apps/server/package.json, packages/contract/package.json, package-lock.json',
  );
  expect(checks).toBe(1);
  expect(git('rev-parse', 'HEAD')).toBe(before);
  expect(git('status', '--porcelain')).toBe('');
  expect(git('tag')).toBe('');
  expect(existsSync(path.join(root, kept))).toBe(false);
});

test.each<[string, () => void, Partial<Release>, RegExp]>([
  ['an invalid version', () => {}, { version: '1.0' }, /Name a version after 0\.1\.0/],
  ['the same version', () => {}, { version: '0.1.0' }, /Name a version after 0\.1\.0/],
  ['an earlier version', () => {}, { version: '0.0.9' }, /Name a version after 0\.1\.0/],
  [
    'a branch other than main',
    () => git('switch', '--quiet', '--create', 'mine'),
    {},
    /made on main; this is mine/,
  ],
  [
    'an uncommitted change',
    () => appendFileSync(path.join(root, 'package.json'), '\n'),
    {},
    /Commit or stash first/,
  ],
  ['an untracked file', () => write('new.txt', 'new'), {}, /Commit or stash first[^]*new\.txt/],
  ['a tag of that name', () => git('tag', 'v1.0.0'), {}, /There is a tag v1\.0\.0/],
  [
    'checks that fail',
    () => {},
    { check: () => Promise.reject(new Error('12 tests fail')) },
    /12 tests fail/,
  ],
])('%s makes the release fail before any change', async (_what, arrange, given, sentence) => {
  arrange();
  const before = [git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')];
  await expect(attempt(given)).rejects.toThrow(sentence);
  expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')]).toEqual(before);
});

test('closeSection throws for an empty changelog section', () => {
  for (const text of ['# Changelog\n', '## Unreleased\n\n## 0.1.0\n\n- Walls\n', '## Unreleased\n'])
    expect(() => closeSection(text, '1.0.0', '2026-11-30')).toThrow(/has no entries under "## Unreleased"/);
});
