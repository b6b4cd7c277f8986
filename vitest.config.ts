import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { compileCacheOf } from './apps/server/src/server-flags.mjs';
import { extensions } from './apps/web/extensions-plugin.ts';
import { texts } from './apps/web/texts.ts';

/** The longest files of the server. Started last, they would run alone at the end. */
const long =
  /(?:mail-burst|mail-queue|events|data-location|embedded-postgres|cloud-storage|limits|recorded-clients|backup)\.test\.ts$/;

/** Keeps the files of a project together: a worker ends when the next file is of another one, and loading the server takes seconds. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ project, moduleId }: TestSpecification) =>
      project.name === 'server' ? Number(!long.test(moduleId)) : 2;
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

/** Only for tests that hang: with thirty processes on two cores, a test of 5 s takes 100 s. No test sets a shorter timeout. */
const limits = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 120_000 } } };

/** Commands that tests run start in a third of the time. */
const env = { NODE_COMPILE_CACHE: compileCacheOf(import.meta.dirname) };

// Two projects, so that only the server's tests start a database. Browser journeys are Playwright's (e2e/).
export default defineConfig({
  test: {
    // More than the cores of a small machine, since tests wait for their database and for what happens by the clock. A fourth worker
    // on two cores costs more, for loading and compiling the server, than it saves.
    maxWorkers: Math.max(availableParallelism(), 3),
    sequence: { sequencer: LongestFirst },
    // Files of one worker share the modules that they import, which takes half a second a file to load. No module keeps a state.
    isolate: false,
    projects: [
      {
        test: {
          name: 'server',
          include: ['apps/server/**/*.test.ts', 'packages/create-vestibule/template/**/*.test.ts'],
          globalSetup: ['apps/server/src/test/test-setup.ts'],
          // Deadlines in mails are in the time zone of the server.
          env: { ...env, TZ: 'UTC' },
          ...limits,
        },
      },
      {
        plugins: [extensions(), texts()],
        test: {
          name: 'other',
          setupFiles: ['apps/web/test-setup.ts'],
          include: ['apps/web/src/**/*.test.{ts,tsx}', '{packages,tools,bench,e2e}/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'packages/create-vestibule/template/**'],
          env,
          ...limits,
        },
      },
    ],
  },
});
