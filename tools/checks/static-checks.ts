/** Checks that do not run the product. They only print failures. */
import path from 'node:path';
import { buildWeb } from '../build-web.mjs';
import { root } from '../install.mjs';
import { runQuietly } from '../../packages/cli/src/run-quietly.mjs';
import { findTextProblems } from '../texts.ts';
import { formatBudgets, isOverBudget, measureBudgets } from './check-budgets.ts';
import { findUnusedExports, findViolations } from './check-imports.ts';
import type { Check } from './run-checks.ts';
import { readTree } from './source-imports.ts';
import { checkWordingCount, findWording, readTrackedTexts } from './wording.ts';

/** Names of the incremental build files (`tsBuildInfoFile`), by TypeScript project. */
const projects = {
  '.': 'server',
  'apps/web': 'web',
  'apps/web/tsconfig.build.json': 'web-build',
  e2e: 'e2e',
};

export const staticChecks: Check[] = [
  {
    title: 'Types',
    run: async (signal) => {
      for (const [project, name] of Object.entries(projects)) {
        const known = path.join('node_modules', '.cache', 'types', name);
        await runTool(
          signal,
          'typescript/bin/tsc',
          '-p',
          project,
          '--incremental',
          '--tsBuildInfoFile',
          known,
        );
      }
    },
  },
  { title: 'Lint', run: (signal) => runTool(signal, 'oxlint/bin/oxlint', '--type-aware', '--deny-warnings') },
  { title: 'Format', run: (signal) => runTool(signal, 'oxfmt/bin/oxfmt', '--check', '.') },
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
  run: async (signal) => void (await buildWeb({ node: process.execPath, env: process.env, signal })),
};

export const webBuildAndSize: Check = {
  title: 'Web build and its size',
  run: async (signal) => {
    await webBuild.run(signal);
    const figures = await measureBudgets();
    console.log(formatBudgets(figures));
    if (figures.some(isOverBudget)) throw new Error('The web application exceeds a budget.');
  },
};

function throwIfAny(problems: string[]): void {
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

function runTool(signal: AbortSignal, script: string, ...parameters: string[]): Promise<void> {
  const program = path.join(root, 'node_modules', script);
  const title = `${path.basename(script)} ${parameters.join(' ')}`;
  return runQuietly(title, process.execPath, [program, ...parameters], { cwd: root, signal });
}
