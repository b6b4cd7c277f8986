/** A release: the version in every package, a changelog section, a backup for the upgrade test, a commit and a tag. */
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

type Json = { version?: string; [field: string]: unknown };

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

const versionPattern = /^(\d+)\.(\d+)\.(\d+)$/;
const lockFile = 'package-lock.json';
/** Other files with the version: the image in the cluster and the label of the image. */
const versionElsewhere = {
  'deploy/kubernetes/kustomization.yaml': /(?<=newTag: )\S+/,
  'deploy/Dockerfile': /(?<=ARG VERSION=)\S+/,
};
const backupFile = (version: string) => `apps/server/src/platform/backup/versions/${version}.backup`;
const dependencyFields = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

/** Returns the release notes. Throws before any change if the release is not possible. */
export async function release(wanted: Release): Promise<string> {
  const { root, version, day, isDryRun, log } = wanted;
  const changelog = path.join(root, 'CHANGELOG.md');
  await requireReleasable(wanted);
  const written = closeSection(readFileSync(changelog, 'utf8'), version, day);
  const backup = backupFile(version);
  const files = filesWithVersion(root);
  const names = [...files, lockFile].join(', ');
  log(`Release ${version}: after all checks pass,
- ${backup} is ${existsSync(path.join(root, backup)) ? 'kept' : 'created'} for the upgrade test;
- ${names} say ${version}, and so do ${Object.keys(versionElsewhere).join(' and ')};
- the entries under "Unreleased" in CHANGELOG.md move to "${version} · ${day}";
- all of it is committed as "release: ${version}" and tagged v${version}. Nothing is pushed.
Running all checks …`);
  await wanted.check();
  if (isDryRun) {
    log(`Version ${version} can be released. This was a dry run: nothing was changed.`);
    return written.notes;
  }
  if (!existsSync(path.join(root, backup))) await wanted.createVersionBackup(path.join(root, backup));
  setVersions(root, files, version);
  for (const [file, place] of Object.entries(versionElsewhere)) {
    const target = path.join(root, file);
    writeFileSync(target, readFileSync(target, 'utf8').replace(place, version));
  }
  writeFileSync(changelog, written.changelog);
  await git(root, 'add', '--all');
  await git(root, 'commit', '--quiet', '--message', `release: ${version}`);
  const message = `Vestibule ${version}\n\n${written.notes}`;
  await git(root, 'tag', '--annotate', '--cleanup=verbatim', '--message', message, `v${version}`);
  return written.notes;
}

async function requireReleasable({ root, version }: Release): Promise<void> {
  const { version: current = '0.0.0' } = readJson(path.join(root, 'package.json'));
  if (!isLater(version, current))
    throw new Error(`Name a version after ${current}, such as 1.2.3: npm run release -- VERSION [--dry-run]`);
  const branch = await git(root, 'branch', '--show-current');
  if (branch !== 'main') throw new Error(`A release is made on main; this is ${branch || 'no branch'}.`);
  const changed = await git(root, 'status', '--porcelain');
  if (changed !== '') throw new Error(`Commit or stash first:\n${changed}`);
  if ((await git(root, 'tag', '--list', `v${version}`)) !== '')
    throw new Error(`There is a tag v${version} already.`);
}

function isLater(version: string, current: string): boolean {
  const numbers = (text: string) => versionPattern.exec(text)?.slice(1).map(Number);
  const [later, earlier] = [numbers(version), numbers(current)];
  if (!later || !earlier) return false;
  const at = later.findIndex((number, index) => number !== earlier[index]);
  return at >= 0 && (later[at] as number) > (earlier[at] as number);
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
  return {
    notes,
    changelog: changelog.replace(found[0], () => `## Unreleased\n\n## ${version} · ${day}\n\n${notes}\n\n`),
  };
}

function filesWithVersion(root: string): string[] {
  const files = globSync(['apps/*/package.json', 'packages/*/package.json'], { cwd: root }).toSorted();
  return ['package.json', ...files].filter((file) => readJson(path.join(root, file)).version !== undefined);
}

/** Sets the version of our packages and of dependencies between them, also in the lock file. */
function setVersions(root: string, files: string[], version: string): void {
  const places = files.map((file) => path.join(root, file));
  const ours = new Set(places.map((file) => readJson(file)['name'] as string));
  for (const file of places) writeJson(file, withVersion(readJson(file), ours, version));
  const lock = readJson(path.join(root, lockFile));
  const packages = lock['packages'] as Record<string, Json>;
  for (const [place, one] of Object.entries(packages))
    if (!place.includes('node_modules/')) packages[place] = withVersion(one, ours, version);
  writeJson(path.join(root, lockFile), { ...lock, version, packages });
}

function withVersion(one: Json, ours: ReadonlySet<string>, version: string): Json {
  const changed: Json = { ...one, version };
  for (const field of dependencyFields) {
    const wanted = one[field] as Record<string, string> | undefined;
    if (wanted)
      changed[field] = Object.fromEntries(
        Object.entries(wanted).map(([name, range]) => [name, ours.has(name) ? `^${version}` : range]),
      );
  }
  return changed;
}

function readJson(file: string): Json {
  return JSON.parse(readFileSync(file, 'utf8')) as Json;
}

function writeJson(file: string, value: Json): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

async function git(root: string, ...parameters: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', parameters, { cwd: root });
  return stdout.trim();
}
