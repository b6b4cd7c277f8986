/**
 * Whether every import keeps to the table of import-rules.ts, checked by `npm test`. Also: no cycles, no barrels, no file names
 * that explain nothing, no crowded folders, and nothing exported that nobody imports. How imports are found stands in source-imports.ts.
 */
import path from 'node:path';
import { root } from '../install.mjs';
import { betweenFeatures, table, type Row } from './import-rules.ts';
import {
  findCycles,
  findImports,
  isBarrel,
  readTree,
  resolveImport,
  type Import,
  type Tree,
} from './source-imports.ts';

const meaningless = /(?:^|\/)(?:utils?|helpers?|common|misc|types|index)(?:\/|\.[a-z]+$)/;
const exported = /^export (?:declare )?(?:async )?(?:const|let|function\*?|class|type|interface) ([\w$]+)/gm;
/** Its address is `/`, and the file is named after it. */
const routeOfTheRoot = 'apps/web/src/routes/index.tsx';

/** Written by the router, with more than we take. */
const routeTree = 'apps/web/src/route-tree.gen.ts';

/** More on one level is searched, not seen. What shares its name up to the first dot is one: a file, its test, its styles. */
const mostInFolder = 15;
/** One file per area, each named after it, as the folders of the others are. */
const listsOfAreas = ['packages/contract/src'];

/** What is wrong, one sentence each; empty when everything is as the table says. */
export function findViolations(tree: Tree): string[] {
  const graph = new Map<string, string[]>();
  const violations: string[] = [];
  for (const [file, source] of tree) {
    if (meaningless.test(file) && file !== routeOfTheRoot)
      violations.push(`${file}: the name says nothing about what is in there.`);
    if (isBarrel(source)) violations.push(`${file}: a file that only passes on others' exports (a barrel).`);
    const imports = findImports(source);
    graph.set(
      file,
      imports.map(({ name }) => resolveImport(file, name)).filter((target) => target !== undefined),
    );
    for (const one of imports) {
      const violation = judge(file, one);
      if (violation !== undefined) violations.push(violation);
    }
    if (rowOf(file) === undefined)
      violations.push(`${file}: no row of the table in tools/checks/import-rules.ts is for it.`);
  }
  return [
    ...violations,
    ...findCrowds(tree),
    ...findCycles(graph).map((cycle) => `A cycle: ${cycle.join(' → ')}`),
  ];
}

function findCrowds(tree: Tree): string[] {
  const names = new Set([...tree.keys()].map((file) => file.replace(/\.[^/]*$/, '')));
  const folders = Map.groupBy(names, (name) => path.dirname(name));
  return [...folders]
    .filter(([folder, { length }]) => length > mostInFolder && !listsOfAreas.includes(folder))
    .map(
      ([folder, { length }]) =>
        `${folder}: ${length} files on one level, tests not counted; at most ${mostInFolder}. Which belong together?`,
    );
}

/** Exports of modules, types too, that no other file imports by their names, one sentence each. */
export function findUnusedExports(tree: Tree): string[] {
  const imported = new Set<string>();
  for (const [file, source] of tree)
    for (const { name, takes } of findImports(source)) {
      const target = resolveImport(file, name);
      for (const one of takes) imported.add(`${target} ${one}`);
    }
  return [...tree]
    .filter(([file]) => file !== routeTree)
    .flatMap(([file, source]) =>
      [...source.matchAll(exported)]
        .filter(([, name]) => !imported.has(`${file} ${name}`) && !imported.has(`${file} *`))
        .map(([, name]) => `${file} exports ${name}, which no other file imports.`),
    );
}

function judge(file: string, { name, onDemand }: Import): string | undefined {
  const row = rowOf(file);
  if (row === undefined) return undefined;
  const target = resolveImport(file, name);
  if (target === undefined) {
    const packageName = packageOf(name);
    if (row.packages === 'any' || row.packages.includes(packageName)) return undefined;
    return `${file} imports ${name}: of packages, ${row.place} may import ${listOf(row.packages)}.`;
  }
  const targetRow = rowOf(target);
  if (targetRow === undefined) return `${file} imports ${target}, which no row of the table is for.`;
  const from = areaOf(row, file);
  const to = areaOf(targetRow, target);
  if (row.place === targetRow.place) {
    if (from === to) return undefined;
    if (row.place === 'server feature' && betweenFeatures[from ?? '']?.[to ?? ''] !== undefined)
      return undefined;
    return `${file} imports ${target}: one ${row.place} never imports another.`;
  }
  if (row.may.includes(targetRow.place)) return undefined;
  if (row.mayOnDemand?.includes(targetRow.place)) {
    return onDemand
      ? undefined
      : `${file} imports ${target}: ${targetRow.place} only by import(), when it is needed.`;
  }
  return `${file} imports ${target}: ${row.place} may import ${listOf([...row.may, ...(row.mayOnDemand ?? [])])}.`;
}

function rowOf(file: string): Row | undefined {
  return table.find(({ files }) => files.test(file));
}

function areaOf({ files }: Row, file: string): string | undefined {
  return files.exec(file)?.[1];
}

function listOf(names: string[]): string {
  return names.length === 0 ? 'nothing else of ours' : names.join(', ');
}

function packageOf(name: string): string {
  if (name.startsWith('node:')) return 'node:';
  const [scopeOrName = '', inScope] = name.split('/');
  return scopeOrName.startsWith('@') ? `${scopeOrName}/${inScope}` : scopeOrName;
}

if (import.meta.main) {
  const tree = await readTree(root);
  const violations = [...findViolations(tree), ...findUnusedExports(tree)];
  for (const violation of violations) console.error(violation);
  process.exitCode = violations.length > 0 ? 1 : 0;
}
