/** Part of create.ts: next versions, made from the packed packages without building them again. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageJson, type Manifest } from '../../release/package-json.ts';
import { run } from '../fixture.ts';

/** Function of the extension API that the next major version renames. */
export const renamed = { from: 'rowsOf', to: 'listRows' };
export const nextApiVersion = '2.0.0';
/** Column that the next minor version adds. */
export const addedColumn = 'added_by_next_version';

/** Changes the files of the unpacked server package. */
type Change = (serverPackage: string) => void;

/** Returns tarballs with another version, whose server package is changed. `tarballs` are the packed packages by name. */
export function deriveRelease(
  tarballs: ReadonlyMap<string, string>,
  directory: string,
  version: string,
  change: Change,
): string[] {
  return [...tarballs].map(([name, tarball]) => {
    const stage = path.join(directory, path.basename(tarball, '.tgz'));
    mkdirSync(stage, { recursive: true });
    run('tar', ['-xzf', tarball, '-C', stage]);
    const file = path.join(stage, 'package', 'package.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
    const names = [...tarballs.keys()];
    writeFileSync(file, JSON.stringify(packageJson(manifest, { names, version, shipsSources: true })));
    if (name === '@vestibule/server') change(path.join(stage, 'package'));
    const target = path.join(directory, path.basename(tarball));
    run('tar', ['-czf', target, '-C', stage, 'package']);
    return target;
  });
}

/** Adds a migration after the existing ones. */
export function addMigration(serverPackage: string): void {
  const directory = path.join(serverPackage, 'migrations');
  const last = readdirSync(directory).toSorted().at(-1) ?? '';
  writeFileSync(
    path.join(directory, `0${Number.parseInt(last, 10) + 1}-next-version.sql`),
    `alter table people add column ${addedColumn} text not null default 'next version';`,
  );
}

/** Adds the migration, renames a function of the extension API, and raises the API's major version. */
export function breakExtensionApi(serverPackage: string): void {
  addMigration(serverPackage);
  const source = path.join(serverPackage, 'src');
  for (const file of ['extension.js', 'extension.d.ts'])
    edit(path.join(source, file), new RegExp(`\\b${renamed.from}\\b`), `${renamed.from} as ${renamed.to}`);
  const extensionFile = path.join(source, 'platform', 'extensions', 'extension');
  for (const ending of ['.js', '.d.ts'])
    edit(extensionFile + ending, /(extensionApiVersion = ['"])[\d.]+/, `$1${nextApiVersion}`);
}

function edit(file: string, pattern: RegExp, replacement: string): void {
  const content = readFileSync(file, 'utf8');
  if (!pattern.test(content)) throw new Error(`${file} does not contain ${String(pattern)}.`);
  writeFileSync(file, content.replace(pattern, replacement));
}
