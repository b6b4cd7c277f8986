/** Checks that do not run the product. They only print failures. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { benchmarksPagePath, findStaleFigures } from '../../bench/report/benchmarks-page.ts';
import { buildWeb } from '../build-web.mjs';
import { formatBudgets, isOverBudget, measureBudgets } from './check-budgets.ts';
import { findUnusedExports, findViolations } from './check-imports.ts';
import { root } from '../install.mjs';
import type { Check } from './run-checks.ts';
import { runQuietly } from '../run-quietly.mjs';
import { readTree } from './source-imports.ts';
import { checkWordingCount, findWording, readTrackedTexts } from './wording.ts';
import { findTextProblems } from '../texts.ts';

const projects = ['.', 'apps/web', 'apps/web/tsconfig.build.json', 'e2e'];

export const staticChecks: Check[] = [
  {
    title: 'Types',
    run: async (signal) => {
      for (const project of projects) await runTool('typescript/bin/tsc', ['-p', project], signal);
    },
  },
  {
    title: 'Lint',
    run: (signal) => runTool('oxlint/bin/oxlint', ['--type-aware', '--deny-warnings'], signal),
  },
  { title: 'Format', run: (signal) => runTool('oxfmt/bin/oxfmt', ['--check', '.'], signal) },
  {
    title: 'Import rules',
    run: async () => {
      const tree = await readTree(root);
      throwIfAny([...findViolations(tree), ...findUnusedExports(tree)]);
    },
  },
  {
    title: 'Wording',
    run: async () => throwIfAny(checkWordingCount(findWording(await readTrackedTexts(root)))),
  },
  { title: 'Texts in all languages', run: async () => throwIfAny(await findTextProblems()) },
];

export const webBuild: Check = {
  title: 'Web build',
  run: async (signal) => {
    await buildWeb({ node: process.execPath, env: process.env, signal });
  },
};

export const webBuildAndSize: Check = {
  title: 'Web build and its size',
  run: async (signal) => {
    await webBuild.run(signal);
    const figures = await measureBudgets(path.join(root, 'apps', 'web', 'dist'));
    console.log(formatBudgets(figures));
    if (figures.some(isOverBudget)) throw new Error('The web application exceeds a budget.');
    const page = await readFile(benchmarksPagePath, 'utf8');
    const sizes = figures.map(({ name, kb }) => ({ name, measured: kb, unit: 'kB' as const }));
    throwIfAny(findStaleFigures(page, 'web-budgets', sizes));
  },
};

function throwIfAny(problems: string[]): void {
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

async function runTool(script: string, parameters: string[], signal: AbortSignal): Promise<void> {
  const program = path.join(root, 'node_modules', script);
  await runQuietly(
    `${path.basename(script)} ${parameters.join(' ')}`,
    process.execPath,
    [program, ...parameters],
    {
      cwd: root,
      signal,
    },
  );
}
