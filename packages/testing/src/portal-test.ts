/** `test` for browser journeys of a portal: a site of the portal with an empty database, shared by the tests of a file. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { test as base, type Browser, type Page } from '@playwright/test';
import { serverFlags } from '@vestibule/server/server-flags';
import { startSite, type Site } from './site.ts';

type Fixtures = {
  /** Opens a page in a separate browser context, for a second user. */
  otherBrowser: (options?: Parameters<Browser['newContext']>[0]) => Promise<Page>;
};

export const test = base.extend<Fixtures, { site: Site }>({
  site: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures from a pattern.
    async ({}, use) => {
      const project = process.env['VESTIBULE_PROJECT'] ?? process.cwd();
      const site = await startSite({
        root: project,
        command: [process.execPath, ...serverFlags, serverScript(), '--project', project],
      });
      await use(site);
      await site.stop();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ site }, use) => use(site.url),
  otherBrowser: async ({ browser, site }, use) => {
    const contexts: { close: () => Promise<void> }[] = [];
    await use(async (options) => {
      const context = await browser.newContext({ baseURL: site.url, ...options });
      contexts.push(context);
      return context.newPage();
    });
    await Promise.all(contexts.map((context) => context.close()));
  },
});

/** JavaScript in the package, TypeScript in the checkout. */
function serverScript(): string {
  const entry = createRequire(import.meta.url).resolve('@vestibule/server/extension');
  return path.join(path.dirname(entry), `main${path.extname(entry)}`);
}
