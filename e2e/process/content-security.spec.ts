/**
 * Injected scripts (security 37), compression and size of the page's resources, and the grid
 * edition (J1).
 */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { openAsAdministrator, expect, test } from '../fixtures/site-test.ts';

test('all text files, including workers, are stored and served compressed', async ({ site }) => {
  const assets = path.join(import.meta.dirname, '../../apps/web/dist/assets');
  const files = readdirSync(assets);
  const large = files.filter(
    (name) => !/\.(?:br|gz|woff2|png)$/.test(name) && statSync(path.join(assets, name)).size >= 1024,
  );
  expect(large.some((name) => name.startsWith('pdf.worker'))).toBe(true);
  expect(
    large.filter((name) => !files.includes(`${name}.br`) || !files.includes(`${name}.gz`)),
    'text without its compressed forms',
  ).toEqual([]);
  const worker = large.find((name) => name.startsWith('pdf.worker'));
  for (const encoding of ['br', 'gzip']) {
    const response = await fetch(`${site.url}/assets/${worker}`, {
      headers: { 'accept-encoding': encoding },
    });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('content-type')).toContain('javascript');
    await response.body?.cancel();
  }
});

test('an injected script does not run, and the policy violation is logged in the console (security 37)', async ({
  page,
  expectConsole,
}) => {
  expectConsole(
    /policy violation: (?:script|img)-src|Content Security Policy/,
    'the injected script is refused',
  );
  const messages: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  await page.goto('/nothing-here');
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = "document.title = 'injected'";
    document.body.append(script);
    document.body.insertAdjacentHTML(
      'beforeend',
      '<img src="nothing:" onerror="document.title = \'injected\'">',
    );
  });
  await expect
    .poll(() => messages.filter((text) => text.startsWith('policy violation')).length)
    .toBeGreaterThan(0);
  expect(await page.title()).not.toBe('injected');
});

test("the dashboard's headers, including the preloads of few scripts, fit the limits of proxies", async ({
  site,
}) => {
  const cookie = `__Host-vestibule=${'a'.repeat(43)}`;
  const { headers } = await fetch(`${site.url}/layout/dashboard`, { headers: { cookie } });
  expect(headers.get('link')).toContain('/api/users/me');
  const bytes = [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  // nginx allows 4,096 bytes including the status line; a deployment's policy may contain longer URLs.
  expect(bytes).toBeLessThan(3_800);
  // A browser loads six scripts in parallel.
  const programs = headers.get('link')?.match(/rel=modulepreload/g) ?? [];
  // The number grows by one with each separate chunk; `screenModules` in apps/web/vite.config.ts merges small modules into one chunk.
  expect(programs.length).toBeGreaterThan(10);
  expect(programs.length).toBeLessThanOrEqual(24);
});

test('a local site without a licence key shows no demonstration notice, AG Grid Enterprise or watermark (J1, O7)', async ({
  page,
  site,
}) => {
  const loaded: string[] = [];
  page.on('request', (request) =>
    loaded.push(/\/assets\/(grid-(?:community|enterprise))-/.exec(request.url())?.[1] ?? ''),
  );
  await openAsAdministrator(page, site, '/layout/people');
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  await expect(page.getByRole('complementary')).toHaveCount(0);
  expect(loaded).toContain('grid-community');
  expect(loaded).not.toContain('grid-enterprise');
  await expect(page.locator('.ag-watermark')).toHaveCount(0);
});
