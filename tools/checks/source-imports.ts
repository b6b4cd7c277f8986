/** Parses imports of source files by regular expressions, which suffice for formatted code. Import rules: check-imports.ts. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Source texts by path relative to the checkout, with forward slashes. */
export type Tree = ReadonlyMap<string, string>;

const staticImport = /^(?:import|export)\s+(?:(?:type\s+)?([\w\s{},*$]+?)\s+from\s+)?(['"])(.+?)\2/gm;
const dynamicImport =
  /(?:\{([^{}]*)\}\s*=\s*\(?await\s+)?\bimport\(\s*(['"`])([^'"`]+)\2(?:\s*,?\s*\)\s*\.then\(\s*\(\{([^{}]*)\}|\)\)\.(\w+))?/g;
const commentLine = /^\s*(?:\/\/|\/?\*).*$/gm;

/** An import as written in the source. `isDynamic`: by `import()`. `names`: imported names; `*` for all. */
export type Import = { name: string; isDynamic: boolean; names: string[] };

export function findImports(source: string): Import[] {
  const code = source.replaceAll(commentLine, '');
  return [
    ...[...code.matchAll(staticImport)].map(([, clause = '', , name = '']) => ({
      name,
      isDynamic: false,
      names: /\*/.test(clause) ? ['*'] : namesIn(/\{([^}]*)\}/.exec(clause)?.[1] ?? ''),
    })),
    ...[...code.matchAll(dynamicImport)].map(([, awaitedNames, , name = '', callbackNames, one]) => ({
      name,
      isDynamic: true,
      names: namesIn(awaitedNames ?? callbackNames ?? one ?? '*'),
    })),
  ];
}

/** Returns the names as exported, not the local names: `a`, `B`, `d` for `a, type B as C, d: e`. */
const namesIn = (list: string) =>
  list.split(',').flatMap((one) => /^\s*(?:type\s+)?([\w$*]+)/.exec(one)?.[1] ?? []);

export function resolveImport(from: string, name: string): string | undefined {
  if (name.startsWith('.')) {
    const plain = name.replace(/\?.*$/, '');
    return path.posix.join(path.posix.dirname(from), plain);
  }
  // Matches `exports` of our packages: a subpath is a file of src/, the package itself the file with its name.
  const [, packageName, file] = /^@vestibule\/([\w-]+)(?:\/(.+))?$/.exec(name) ?? [];
  if (packageName === undefined) return undefined;
  const folder = ['server', 'web'].includes(packageName) ? 'apps' : 'packages';
  // Plain JavaScript, because the commands of `npm run` read these before the installation.
  const extension = ['server-flags', 'command-usage'].includes(file ?? '') ? 'mjs' : 'ts';
  return `${folder}/${packageName}/src/${file ?? packageName}.${extension}`;
}

const sourceFolders = ['apps', 'packages', 'tools', 'bench', 'e2e', 'deploy'];
const isSource = /\.(?:ts|tsx|mts|cts|js|jsx|mjs|cjs)$/;
const skippedPaths = /(?:^|\/)(?:node_modules|dist|\.[\w-]+)(?:\/|$)/;

export async function readTree(root: string): Promise<Tree> {
  const tree = new Map<string, string>();
  const read = async (directory: string, isRecursive: boolean): Promise<void> => {
    const entries = await readdir(path.join(root, directory), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const file = path.posix.join(directory, entry.name);
      if (skippedPaths.test(file)) continue;
      if (entry.isDirectory() && isRecursive) await read(file, true);
      if (entry.isFile() && isSource.test(file))
        tree.set(file, await readFile(path.join(root, file), 'utf8'));
    }
  };
  await read('', false);
  for (const directory of sourceFolders) await read(directory, true);
  return tree;
}
