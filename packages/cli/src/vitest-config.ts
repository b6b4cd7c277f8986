/** Server tests of a portal. They run on an embedded PostgreSQL. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { defineConfig } from 'vitest/config';

const project = process.cwd();

/** Only for tests that hang. */
const timeout = 120_000;

export default defineConfig({
  root: project,
  cacheDir: path.join(project, 'node_modules', '.cache', 'vitest'),
  test: {
    include: ['extensions/**/*.test.ts'],
    globalSetup: [createRequire(import.meta.url).resolve('@vestibule/server/testing/setup')],
    testTimeout: timeout,
    hookTimeout: timeout,
  },
});
