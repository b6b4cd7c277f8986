/** Selects tests by the words after `npm test --`, or by changed files. */
import { findImports, resolveImport, type Tree } from '../source-imports.ts';

const isUnitTest = (file: string) => /\.test\.tsx?$/.test(file);
const isJourney = (file: string) => /^e2e\/.*\.spec\.ts$/.test(file);

/**
 * Assigns parameters to runners: `people` selects unit tests whose paths contain it, `e2e/people` browser tests. A word without a unit test
 * selects browser tests. Parameters from the first dash are passed to the runner. Throws an Error for a word without any test.
 */
export function chooseByWords(
  files: Iterable<string>,
  parameters: string[],
): { unit?: string[]; journeys?: string[] } {
  const all = [...files];
  const firstOption = parameters.findIndex((parameter) => parameter.startsWith('-'));
  const words = firstOption === -1 ? parameters : parameters.slice(0, firstOption);
  const options = parameters.slice(words.length);
  if (words.length === 0) throw new Error(`Name tests first: npm test -- people ${options.join(' ')}`);
  const chosen: { unit: string[]; journeys: string[] } = { unit: [], journeys: [] };
  for (const word of words) {
    const name = word.replace(/^e2e(?:\/|$)/, '');
    const found = all.filter((file) => isJourney(file) && file.includes(name));
    if (name === word && all.some((file) => isUnitTest(file) && file.includes(word))) chosen.unit.push(word);
    else if (found.length > 0) chosen.journeys.push(...found);
    else throw new Error(`There is no test file whose path contains "${word}".`);
  }
  return {
    ...(chosen.unit.length > 0 && { unit: [...chosen.unit, ...options] }),
    ...(chosen.journeys.length > 0 && { journeys: [...chosen.journeys, ...options] }),
  };
}

/** These files import everything, so they are not followed for changes in one area. */
const hubModules = new Set(['apps/server/src/app.ts', 'apps/server/src/test/test-app.ts']);
const affectsAllTests = /^(?:package-lock\.json|vitest\.config\.ts|tsconfig\.json)$|\/test-setup\.ts$|\.sql$/;

/**
 * Returns unit tests of changed areas and of files that import a changed file, directly or not. Changes in a server feature are
 * not followed through the application.
 */
export function chooseByChange(tree: Tree, changed: string[]): string[] {
  const tests = [...tree.keys()].filter(isUnitTest);
  if (changed.some((file) => affectsAllTests.test(file))) return tests.toSorted();
  const importers = findImporters(tree);
  const chosen = new Set<string>();
  for (const file of changed) {
    const [area] = /^apps\/server\/src\/features\/[^/]+\//.exec(file) ?? [];
    const reached = findReached(file, importers, area === undefined ? new Set() : hubModules);
    // Tests of tools/ read documents and settings, which no file imports.
    const own = area ?? (tree.has(file) ? undefined : 'tools/');
    for (const test of tests)
      if (reached.has(test) || (own !== undefined && test.startsWith(own))) chosen.add(test);
  }
  return [...chosen].toSorted();
}

function findImporters(tree: Tree): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const [file, source] of tree)
    for (const { name } of findImports(source)) {
      const target = resolveImport(file, name);
      if (target !== undefined) importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  return importers;
}

/** Returns the file and all files that import it, except through `boundary`. */
function findReached(start: string, importers: Map<string, string[]>, boundary: Set<string>): Set<string> {
  const reached = new Set([start]);
  for (const file of reached)
    if (file === start || !boundary.has(file))
      for (const next of importers.get(file) ?? []) reached.add(next);
  return reached;
}
