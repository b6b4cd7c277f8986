import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { browserLaunch } from '../tools/browser.ts';

/** Browser journeys on the real server. No retries: a journey that fails now and then is a defect. */
export default defineConfig({
  testDir: import.meta.dirname,
  outputDir: '../test-results',
  // More than the cores: a third of the time a journey waits, for what is looked for once a second or sent slowly.
  workers: Math.ceil(availableParallelism() * 1.5),
  retries: 0,
  forbidOnly: true,
  // Of what hangs, not of a slow machine: what takes 5 s elsewhere takes a minute on one. No journey names a shorter one.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    screenshot: 'only-on-failure',
    // Nothing waits for a movement to end, and no colour is looked at in the middle of one; movement has its own tests.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: await browserLaunch(),
  },
});
