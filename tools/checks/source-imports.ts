/**
 * The imports of the project's source files. They are found by regular expressions, which is enough for formatted code and
 * needs no parser. Not for: which of them are allowed (check-imports.ts).
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Source files by their path from the checkout, with forward slashes. */
export type Tree = ReadonlyMap<string, string>;

const staticImport = /^(?:import|export)\s+(?:(?:type\s+)?([\w\s{},*$]+?)\s+from\s+)?(['"])(.+?)\2/gm;
const dynamicImport =
  /(?:\{([^{}]*)\}\s*=\s*\(?await\s+)?\bimport\(\s*(['"`])([^'"`]+)\2(?:\s*,?\s*\)\s*\.then\(\s*\(\{([^{}]*)\}|\)\)\.(\w+))?/g;
const commentLine = /^\s*(?:\/\/|\/?\*).*$/gm;
const starReExport = /^export\s+(?:type\s+)?\*/m;

/** What a file imports, as it is written there; `onDemand` by `import()`. `takes`: the names that it uses of it; `*` for all. */
export type Import = { name: string; onDemand: boolean; takes: string[] };

/** Every import and re-export of a source text. */
export function findImports(source: string): Import[] {
  const code = source.replaceAll(commentLine, '');
  return [
    ...[...code.matchAll(staticImport)].map(([, clause = '', , name = '']) => ({
      name,
      onDemand: false,
      takes: /\*/.test(clause) ? ['*'] : namesIn(/\{([^}]*)\}/.exec(clause)?.[1] ?? ''),
    })),
    ...[...code.matchAll(dynamicImport)].map(([, awaited, , name = '', then, one]) => ({
      name,
      onDemand: true,
      takes: namesIn(awaited ?? then ?? one ?? '*'),
    })),
  ];
}

/** Of `a, type B as C, d: e` the names that the other file has: `a`, `B`, `d`. */
const namesIn = (list: string) =>
  list.split(',').flatMap((one) => /^\s*(?:type\s+)?([\w$*]+)/.exec(one)?.[1] ?? []);

/** The file of ours behind an import; undefined for a package. */
export function resolveImport(from: string, name: string): string | undefined {
  if (name.startsWith('.')) {
    const plain = name.replace(/\?.*$/, '');
    return path.posix.join(path.posix.dirname(from), plain);
  }
  // As the `exports` of our packages say: by name a file of src/, without one the file named after the package.
  const [, packageName, file] = /^@vestibule\/([\w-]+)(?:\/(.+))?$/.exec(name) ?? [];
  return packageName && `packages/${packageName}/src/${file ?? packageName}.ts`;
}

/** Whether a file passes on everything of another one, or has nothing of its own beside re-exports. */
export function isBarrel(source: string): boolean {
  if (starReExport.test(source)) return true;
  const code = source.replaceAll(commentLine, '');
  const own = code
    .replaceAll(
      /^(?:import\s[^;]*?|export\s+(?:type\s+)?\{[^}]*\})\s+from\s[^;]+;|^import\s+['"][^;]+;/gm,
      '',
    )
    .trim();
  return own === '' && /^export\s[^;]*\sfrom\s/m.test(code);
}

/** One cycle of each group of files that import each other, starting with its first file by name. */
export function findCycles(graph: ReadonlyMap<string, string[]>): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (file: string): void => {
    const at = trail.indexOf(file);
    if (at !== -1) cycles.push([...trail.slice(at), file]);
    if (at !== -1 || done.has(file)) return;
    trail.push(file);
    for (const next of graph.get(file) ?? []) visit(next);
    trail.pop();
    done.add(file);
  };
  for (const file of [...graph.keys()].toSorted()) visit(file);
  return cycles;
}

const looksInto = ['apps', 'packages', 'tools', 'bench', 'e2e', 'deploy'];
const isSource = /\.(?:ts|tsx|mts|cts|js|jsx|mjs|cjs)$/;
const isSkipped = /(?:^|\/)(?:node_modules|dist|\.[\w-]+)(?:\/|$)/;

/** Reads the source files of a checkout. */
export async function readTree(root: string): Promise<Tree> {
  const tree = new Map<string, string>();
  const read = async (directory: string, deep: boolean): Promise<void> => {
    const entries = await readdir(path.join(root, directory), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const file = path.posix.join(directory, entry.name);
      if (isSkipped.test(file)) continue;
      if (entry.isDirectory() && deep) await read(file, true);
      if (entry.isFile() && isSource.test(file))
        tree.set(file, await readFile(path.join(root, file), 'utf8'));
    }
  };
  await read('', false);
  for (const directory of looksInto) await read(directory, true);
  return tree;
}
