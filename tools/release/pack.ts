/**
 * `npm run pack -- [DIRECTORY] [--version 1.2.3]`: builds every package and writes its tarball into DIRECTORY (default: dist/packages).
 * Nothing is published. Node.js does not strip types below node_modules, so packages contain JavaScript and declarations, at the same
 * relative paths as the sources: paths relative to `import.meta` remain valid.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from '../install.mjs';
import { packageJson, type Manifest } from './package-json.ts';

const run = promisify(execFile);
const onWindows = process.platform === 'win32';

type PackageSource = {
  directory: string;
  /** Modules that are compiled with everything they import, besides those in `exports` and `bin`. Patterns. */
  modules?: string[];
  /** Other files. Patterns. */
  files?: string[];
  /** Files of `docs/`. Patterns. */
  documents?: string[];
  /** Whether the portal builds the sources of the package: then development dependencies are dependencies. */
  shipsSources?: boolean;
};

/** All packages, in the order of their dependencies. */
export const packages: PackageSource[] = [
  { directory: 'packages/contract', modules: ['src/**/*.ts'] },
  { directory: 'packages/client', files: ['dist/**'] },
  {
    directory: 'packages/b2c-emulator',
    modules: ['src/cli.ts'],
    files: ['README.md', 'src/**/*.css'],
  },
  { directory: 'packages/dev-mailbox', files: ['src/page/*'] },
  {
    directory: 'apps/server',
    modules: ['src/main.ts', 'src/commands/*.ts', 'src/**/watch-postgres-on-windows.ts'],
    files: ['migrations/*.sql'],
    // Those that builders and operators read.
    documents: ['!(specification|benchmarks|architecture).md'],
  },
  // The sources, which Vite builds in the portal together with the screens of its extensions.
  {
    directory: 'apps/web',
    files: ['*.ts', 'index.html', 'public/*', 'src/**'],
    shipsSources: true,
  },
  { directory: 'packages/testing' },
  { directory: 'packages/cli', files: ['tsconfig.portal.json'] },
  { directory: 'packages/create-vestibule', files: ['template/**'] },
];

const isTest = /\.test\.tsx?$/;
const isSource = (file: string) => /(?<!\.d)\.(?:tsx?|mjs)$/.test(file);

/** Packs all packages with the version, by default that of the checkout. Returns the tarballs by package name. */
export async function packAll(directory: string, version?: string): Promise<Map<string, string>> {
  await using cleanup = new AsyncDisposableStack();
  const work = await mkdtemp(path.join(tmpdir(), 'vestibule-pack-'));
  cleanup.defer(() => rm(work, { recursive: true, force: true }));
  await mkdir(directory, { recursive: true });
  const manifests = new Map<PackageSource, Manifest>();
  for (const source of packages) manifests.set(source, await readManifest(source));
  const compiled = path.join(work, 'compiled');
  await compile(compiled, await findModules(manifests));
  await run(process.execPath, [path.join(root, 'packages/client/build.ts')]);

  const tarballs = new Map<string, string>();
  const names = [...manifests.values()].map(({ name }) => name);
  for (const [source, manifest] of manifests) {
    const stage = path.join(work, source.directory);
    await mkdir(stage, { recursive: true });
    const output = path.join(compiled, source.directory);
    if (existsSync(output)) await cp(output, stage, { recursive: true });
    await copyFiles(source, stage);
    if (source.shipsSources) await declareEntries(source, entriesOf(manifest, 'src/'), stage);
    await cp(path.join(root, 'LICENSE'), path.join(stage, 'LICENSE'));
    const packed = packageJson(manifest, {
      names,
      version: version ?? manifest.version,
      shipsSources: source.shipsSources ?? false,
    });
    await writeFile(path.join(stage, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
    tarballs.set(manifest.name, await npmPack(stage, directory));
  }
  return tarballs;
}

async function readManifest({ directory }: PackageSource): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(root, directory, 'package.json'), 'utf8')) as Manifest;
}

/** Returns the modules in `exports` and `bin`, without patterns, in a folder. */
const entriesOf = ({ exports = {}, bin = {} }: Manifest, folder = ''): string[] =>
  [...Object.values(exports), ...Object.values(bin)].filter(
    (file): file is string =>
      typeof file === 'string' && !file.includes('*') && isSource(file) && file.startsWith(`./${folder}`),
  );

/** Returns the paths of the modules to compile, relative to the checkout. */
async function findModules(manifests: Map<PackageSource, Manifest>): Promise<string[]> {
  const found: string[] = [];
  for (const [{ directory, modules = [], shipsSources = false }, manifest] of manifests) {
    if (shipsSources) continue;
    const patterns = [...entriesOf(manifest), ...modules];
    for await (const file of glob(patterns, { cwd: path.join(root, directory) }))
      if (!isTest.test(file)) found.push(path.posix.join(directory, file.replaceAll('\\', '/')));
  }
  return found;
}

/** Compiles the modules and their imports to JavaScript and declarations. */
async function compile(target: string, modules: string[]): Promise<void> {
  await runCompiler(root, {
    compilerOptions: { rewriteRelativeImportExtensions: true, rootDir: '.', outDir: target },
    include: [],
    files: modules,
  });
  for await (const file of glob('**/*.{js,mjs,d.ts,d.mts}', { cwd: target })) {
    const place = path.join(target, file);
    await writeFile(place, withJavaScriptPaths(await readFile(place, 'utf8')));
  }
}

/** Writes the declarations of the public entries of a package that ships its sources into `types`. */
async function declareEntries({ directory }: PackageSource, entries: string[], stage: string): Promise<void> {
  await runCompiler(path.join(root, directory), {
    compilerOptions: { emitDeclarationOnly: true, rootDir: 'src', outDir: path.join(stage, 'types') },
    include: ['src/language/catalogs.d.ts', 'src/extensions/virtual-extensions.d.ts'],
    files: entries,
  });
  for await (const file of glob('types/**/*.d.ts', { cwd: stage })) {
    const place = path.join(stage, file);
    await writeFile(place, withJavaScriptPaths(await readFile(place, 'utf8')));
  }
}

/** Runs the compiler in a directory, with the options of its tsconfig.json and these. Throws its messages. */
async function runCompiler(
  directory: string,
  { compilerOptions, ...project }: { compilerOptions: object; include: string[]; files: string[] },
): Promise<void> {
  const file = path.join(directory, 'tsconfig.pack.json');
  const options = { noEmit: false, declaration: true, ...compilerOptions };
  await writeFile(file, JSON.stringify({ extends: './tsconfig.json', compilerOptions: options, ...project }));
  try {
    await run(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', file]);
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  } finally {
    await rm(file);
  }
}

/** Changes `.ts` to `.js` in paths that the compiler does not rewrite: imports in declarations, and URLs of modules. */
export function withJavaScriptPaths(code: string): string {
  return code
    .replaceAll(/((?:from|import\() ?['"]\.{1,2}\/[^'"]*)\.tsx?(['"])/g, '$1.js$2')
    .replaceAll(/(new URL\(['"][^'"]+)\.ts(['"], import\.meta\.url)/g, '$1.js$2');
}

export async function copyFiles(
  { directory, files = [], documents = [], shipsSources = false }: PackageSource,
  stage: string,
): Promise<void> {
  for await (const file of glob(files, { cwd: path.join(root, directory), withFileTypes: true })) {
    const from = path.join(file.parentPath, file.name);
    if (file.isFile() && !(shipsSources && isTest.test(file.name)))
      await cp(from, path.join(stage, path.relative(path.join(root, directory), from)));
  }
  for await (const document of glob(documents, { cwd: path.join(root, 'docs') }))
    await cp(path.join(root, 'docs', document), path.join(stage, 'docs', document));
}

async function npmPack(stage: string, directory: string): Promise<string> {
  const { stdout } = await run(
    onWindows ? 'npm.cmd' : 'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', path.resolve(directory)],
    { cwd: stage, shell: onWindows },
  );
  const [{ filename } = { filename: '' }] = JSON.parse(stdout) as { filename: string }[];
  return path.resolve(directory, filename);
}

if (import.meta.main) {
  const parameters = process.argv.slice(2);
  const at = parameters.indexOf('--version');
  const [, version] = at === -1 ? [] : parameters.splice(at, 2);
  const tarballs = await packAll(parameters[0] ?? path.join(root, 'dist', 'packages'), version);
  for (const [name, file] of tarballs) console.log(`${name.padEnd(26)} ${file}`);
}
