/** Copies the template of a portal. */
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const packageDirectory = fileURLToPath(new URL('..', import.meta.url));
const maxNameLength = 214;
const reservedNames = ['node_modules', 'favicon.ico'];
const example = 'npm create vestibule@latest my-portal';

type Manifest = { name: string; version: string; [field: string]: unknown };

/** Creates the portal in the directory that `parameters` names. Throws an Error that says what to change. */
export function createPortal(parameters: string[], workingDirectory: string): { shownDirectory: string } {
  const [given, ...more] = parameters;
  if (given === undefined || given.startsWith('-') || more.length > 0)
    throw new Error(`Name one directory for the portal: ${example}`);
  const directory = path.resolve(workingDirectory, given);
  const name = path.basename(directory);
  requirePackageName(name);
  requireEmpty(directory, given);

  const template = path.join(packageDirectory, 'template');
  cpSync(template, directory, {
    recursive: true,
    filter: (file) => !/^(?:node_modules|dist|\..+)$/.test(path.basename(file)) || file === template,
  });
  // npm leaves .gitignore out of packages.
  renameSync(path.join(directory, 'gitignore'), path.join(directory, '.gitignore'));
  const file = path.join(directory, 'package.json');
  const { version } = readJson(path.join(packageDirectory, 'package.json'));
  const manifest: Manifest = { ...readJson(file), name };
  for (const field of ['dependencies', 'devDependencies'] as const)
    manifest[field] = withVersion(manifest[field] as Record<string, string>, version);
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  return { shownDirectory: path.relative(workingDirectory, directory) || '.' };
}

/** Throws unless the name of the directory can be the name of the package. */
function requirePackageName(name: string): void {
  const isValid = /^[a-z0-9][a-z0-9._-]*$/.test(name) && name.length <= maxNameLength;
  if (isValid && !reservedNames.includes(name)) return;
  const suggestion =
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, maxNameLength) || 'my-portal';
  throw new Error(
    `The directory is also the name of the npm package, and ${JSON.stringify(name)} cannot be one. Use lower-case letters, digits and hyphens, such as ${reservedNames.includes(suggestion) ? 'my-portal' : suggestion}.`,
  );
}

function requireEmpty(directory: string, given: string): void {
  if (!existsSync(directory)) return;
  let entries: string[];
  try {
    entries = readdirSync(directory);
  } catch {
    throw new Error(`${given} is a file. Name a new directory: ${example}`);
  }
  if (entries.some((entry) => entry !== '.git'))
    throw new Error(`${given} is not empty. Name a new directory: ${example}`);
}

function withVersion(dependencies: Record<string, string>, version: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, range]) => [
      name,
      name.startsWith('@vestibule/') ? `^${version}` : range,
    ]),
  );
}

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Manifest;
