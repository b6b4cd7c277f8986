import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { browserLaunch } from '../tools/browser.ts';

/** Browser journeys on the real server. No retries: a flaky test is a defect. */
export default defineConfig({
  testDir: import.meta.dirname,
  testMatch: '**/*.spec.ts',
  outputDir: '../test-results',
  // More workers than cores, because tests are idle a third of the time.
  workers: Math.ceil(availableParallelism() * 1.5),
  retries: 0,
  forbidOnly: true,
  // For hangs only: a step of 5 s may take a minute on a slow machine. No test sets a shorter timeout.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    screenshot: 'only-on-failure',
    // Disables animations, which have their own tests, so that assertions need not wait for them.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: await browserLaunch(),
  },
});
