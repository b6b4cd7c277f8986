/**
 * `vestibule test`: type check, server tests on an embedded PostgreSQL, and browser journeys. Words select tests by their paths, as in
 * `npm test -- tickets.journey`.
 */
import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { findBrowser } from './browser.ts';
import { findProgram, type Portal } from './project.ts';
import { runScript } from './run-script.mjs';

const { resolve } = createRequire(import.meta.url);

/** Runs the checks until one fails. */
export async function runTests(
  portal: Portal,
  words: string[],
  buildWeb: () => Promise<void>,
): Promise<number> {
  const run = (title: string, script: string, parameters: string[], env: NodeJS.ProcessEnv = {}) => {
    console.log(`── ${title}`);
    return runScript(process.execPath, [script, ...parameters], {
      cwd: portal.directory,
      env: { ...portal.environment, ...env },
    });
  };
  const has = (ending: string) =>
    globSync(`**/*.${ending}`, { cwd: portal.extensions }).some((file) =>
      words.every((word) => word.startsWith('-') || path.join('extensions', file).includes(word)),
    );

  const types = await run('Types', findProgram('typescript', 'bin/tsc'), ['--noEmit']);
  if (types !== 0) return types;
  if (has('test.ts')) {
    const config = ['--config', resolve('@vestibule/cli/vitest-config')];
    const script = findProgram('vitest', 'vitest.mjs');
    const code = await run('Server tests', script, ['run', ...config, ...words]);
    if (code !== 0) return code;
  }
  if (!has('journey.ts')) return 0;
  await buildWeb();
  const config = ['--config', resolve('@vestibule/cli/playwright-config')];
  return run('Browser journeys', findProgram('@playwright/test', 'cli.js'), ['test', ...config, ...words], {
    CHROMIUM_PATH: await findBrowser(),
  });
}
