/** A release: the version in every package, a changelog section, a backup for the upgrade test, a commit and a tag. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

type Package = { name?: string; version?: string; [field: string]: unknown };

export type Release = {
  root: string;
  version: string;
  /** Date as YYYY-MM-DD. */
  day: string;
  check: () => Promise<void>;
  createVersionBackup: (file: string) => Promise<void>;
  log: (line: string) => void;
  isDryRun: boolean;
};

/** Other files with the version: the image tag for Kubernetes, and the version label of the image. */
const otherFiles: Record<string, RegExp> = {
  'deploy/kubernetes/kustomization.yaml': /(?<=newTag: )\S+/,
  'deploy/Dockerfile': /(?<=ARG VERSION=)\S+/,
};

/** Returns the release notes. Throws before any change if the release is not possible. */
export async function release({ root, version, day, isDryRun, log, ...actions }: Release): Promise<string> {
  const git = (...parameters: string[]) =>
    execFileSync('git', parameters, { cwd: root, encoding: 'utf8' }).trim();
  const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
  const write = (file: string, text: string) => writeFileSync(path.join(root, file), text);
  const { version: current = '0.0.0' } = JSON.parse(read('package.json')) as Package;
  const [branch, changed] = [git('branch', '--show-current'), git('status', '--porcelain')];
  const isLater = version.localeCompare(current, 'en', { numeric: true }) > 0;
  if (!/^\d+\.\d+\.\d+$/.test(version) || !isLater)
    throw new Error(`Name a version after ${current}, such as 1.2.3: npm run release -- VERSION [--dry-run]`);
  if (branch !== 'main') throw new Error(`A release is made on main; this is ${branch || 'no branch'}.`);
  if (changed !== '') throw new Error(`Commit or stash first:\n${changed}`);
  if (git('tag', '--list', `v${version}`) !== '') throw new Error(`There is a tag v${version} already.`);
  const { changelog, notes } = closeSection(read('CHANGELOG.md'), version, day);

  const backup = `apps/server/src/platform/backup/versions/${version}.backup`;
  const packages = ['package.json', ...globSync('{apps,packages}/*/package.json', { cwd: root }).toSorted()];
  log(`Release ${version}: after all checks pass,
- ${backup} is created for the upgrade test, unless it exists;
- ${[...packages, 'package-lock.json', ...Object.keys(otherFiles)].join(', ')} say ${version};
- the entries under "Unreleased" in CHANGELOG.md move to "${version} · ${day}";
- all of it is committed as "release: ${version}" and tagged v${version}. Nothing is pushed.
Running all checks …`);
  await actions.check();
  if (isDryRun) {
    log(`Version ${version} can be released. This was a dry run: nothing was changed.`);
    return notes;
  }
  if (!existsSync(path.join(root, backup))) await actions.createVersionBackup(path.join(root, backup));
  const toJson = (value: Package) => `${JSON.stringify(value, null, 2)}\n`;
  const parsed = packages.map((file) => [file, JSON.parse(read(file)) as Package] as const);
  const names = new Set(parsed.map(([, { name = '' }]) => name));
  for (const [file, one] of parsed) write(file, toJson(withVersion(one, names, version)));
  const lock = JSON.parse(read('package-lock.json')) as Package & { packages: Record<string, Package> };
  for (const [place, one] of Object.entries(lock.packages))
    if (!place.includes('node_modules/')) lock.packages[place] = withVersion(one, names, version);
  write('package-lock.json', toJson({ ...lock, version }));
  for (const [file, place] of Object.entries(otherFiles)) write(file, read(file).replace(place, version));
  write('CHANGELOG.md', changelog);
  git('add', '--all');
  git('commit', '--quiet', '--message', `release: ${version}`);
  const message = `Vestibule ${version}\n\n${notes}`;
  git('tag', '--annotate', '--cleanup=verbatim', '--message', message, `v${version}`);
  return notes;
}

/** Moves the entries under "Unreleased" to a section with version and date. */
export function closeSection(
  changelog: string,
  version: string,
  day: string,
): { changelog: string; notes: string } {
  const found = /^## Unreleased\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(changelog);
  const notes = found?.[1]?.trim() ?? '';
  if (!found || notes === '')
    throw new Error('CHANGELOG.md has no entries under "## Unreleased". Describe the changes for users.');
  const closed = `## Unreleased\n\n## ${version} · ${day}\n\n${notes}\n\n`;
  return { notes, changelog: changelog.replace(found[0], () => closed) };
}

/** Returns the package with the version, also in dependencies on the named packages. */
function withVersion(one: Package, names: ReadonlySet<string>, version: string): Package {
  const changed: Package = { ...one, ...(one.version !== undefined && { version }) };
  for (const field of ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']) {
    const wanted = one[field] as Record<string, string> | undefined;
    const update = ([name, range]: [string, string]) => [name, names.has(name) ? `^${version}` : range];
    if (wanted) changed[field] = Object.fromEntries(Object.entries(wanted).map(update));
  }
  return changed;
}
