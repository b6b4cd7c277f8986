import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { browserLaunch, findHeadlessShell } from '../packages/cli/src/browser.ts';

/** Tests on sites with other sign-in methods. They share five sites, so they run in one worker. */
const signInMethods =
  /(?:oidc|oidc-sessions|passkey\w*(?:-\w+)*|sign-in-methods|sign-in-method-screens|identity-migration)\.spec\.ts$/;
/** Tests with organizations and applications. They share a site too. */
const organizations = /\/organizations\/.+\.spec\.ts$/;
/** Audits of all screens. Data of other tests would count as untranslated texts. */
const screens = /\/screens\/screens\.spec\.ts$/;
/** Tests of UI components in their gallery. */
const components = /\/ui\/.+\.spec\.ts$/;
/** Tests of extensions and of added screens. They share the build of a portal. */
const extensions = /\/(?:extensions\/.+|add-a-screen)\.spec\.ts$/;
/** Files that start their own servers. */
const ownServers = /\/(?:process\/(?!content-security).+|onboarding|settings)\.spec\.ts$/;

/** Tests that need the whole browser: the headless shell has no back/forward cache, and hidden frames load the application. */
const wholeBrowser = /\/(?:browser-history|token-renewal)\.spec\.ts$/;

const launch = await browserLaunch();
/** Pages live for seconds. Optimizing their code takes more processor time than it saves, a tenth of all. */
const withoutOptimization = '--js-flags=--no-maglev --no-turbofan';
const shell = await findHeadlessShell();
const launchOptions = { ...launch, args: [...(launch.args ?? []), withoutOptimization] };

/** Browser journeys on the real server. No retries: a flaky test is a defect. */
export default defineConfig({
  testDir: import.meta.dirname,
  testMatch: '**/*.spec.ts',
  // Few workers per kind of site, so that few sites are started. Projects with long tests start first. The project with the many small
  // files starts last.
  projects: [
    { name: 'sign-in methods', testMatch: signInMethods, workers: 1 },
    { name: 'extensions', testMatch: extensions, workers: 1 },
    { name: 'own servers', testMatch: ownServers },
    { name: 'screens', testMatch: screens, workers: 1 },
    { name: 'components', testMatch: components, workers: 1 },
    { name: 'organizations', testMatch: organizations, workers: 1 },
    { name: 'whole browser', testMatch: wholeBrowser, workers: 1, use: { launchOptions } },
    {
      name: 'site',
      testIgnore: [signInMethods, extensions, ownServers, screens, components, organizations, wholeBrowser],
    },
  ],
  globalSetup: './global-setup.ts',
  outputDir: '../test-results',
  // More workers than cores, because tests are idle a third of the time.
  workers: Math.ceil(availableParallelism() * 1.5),
  retries: 0,
  forbidOnly: true,
  // Only for tests that hang: a step of 5 s may take a minute on a slow machine. No test sets a shorter timeout.
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
    launchOptions: { ...launchOptions, ...(shell !== undefined && { executablePath: shell }) },
  },
});
