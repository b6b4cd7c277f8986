/** Browser journeys of a portal. Each worker starts a server with a temporary data directory. */
import path from 'node:path';
import { defineConfig } from '@playwright/test';
import { browserLaunch } from './browser.ts';

const project = process.cwd();

export default defineConfig({
  testDir: path.join(project, 'extensions'),
  testMatch: '**/*.journey.ts',
  outputDir: path.join(project, '.vestibule', 'test-results'),
  workers: 1,
  forbidOnly: Boolean(process.env['CI']),
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    screenshot: 'only-on-failure',
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: await browserLaunch(),
  },
});
