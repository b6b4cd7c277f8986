import { defineConfig } from 'vitest/config';
import { texts } from './apps/web/texts.ts';

// Two projects, so that only the server's tests start a database. Browser journeys are Playwright's (e2e/).
export default defineConfig({
  test: {
    // All cores: the server's tests mostly wait for their database.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'server',
          include: ['apps/server/**/*.test.ts'],
          globalSetup: ['apps/server/test-setup.ts'],
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        plugins: [texts()],
        test: {
          name: 'other',
          setupFiles: ['apps/web/test-setup.ts'],
          include: ['apps/web/src/**/*.test.{ts,tsx}', 'packages/**/*.test.ts', 'tools/**/*.test.ts'],
          testTimeout: 20_000,
        },
      },
    ],
  },
});
