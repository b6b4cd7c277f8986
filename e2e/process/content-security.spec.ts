/** What the page may load and run (security 37 and 38), and that no paid grid comes without a key (J1). */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { openAsAdministrator, expect, listLoadedGridEditions, test } from '../fixtures/site-test.ts';

/** The directives of the page's policy. */
async function readPolicy(site: { url: string }): Promise<Map<string, string[]>> {
  const header = (await fetch(site.url)).headers.get('content-security-policy') ?? '';
  return new Map(
    header.split(';').map((directive) => {
      const [name = '', ...sources] = directive.trim().split(/\s+/);
      return [name, sources];
    }),
  );
}

test('the page may run its own scripts only, and talk to itself and the provider only (security 37, 38)', async ({
  site,
}) => {
  const policy = await readPolicy(site);
  expect(policy.get('default-src')).toEqual(["'none'"]);
  expect(policy.get('script-src')).toEqual(["'self'"]);
  expect(policy.get('object-src')).toEqual(["'none'"]);
  expect(policy.get('base-uri')).toEqual(["'none'"]);
  expect(policy.get('frame-ancestors')).toEqual(["'self'"]);
  const itselfAndProvider = ["'self'", 'https://vestibule.b2clogin.com', site.providerUrl];
  expect(policy.get('connect-src')).toEqual(itselfAndProvider);
  expect(policy.get('frame-src')).toEqual(itselfAndProvider);
});

test('everything that is text is there compressed, the workers included, and comes that way', async ({
  site,
}) => {
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
    const answer = await fetch(`${site.url}/assets/${worker}`, { headers: { 'accept-encoding': encoding } });
    expect(answer.headers.get('content-encoding')).toBe(encoding);
    expect(answer.headers.get('content-type')).toContain('javascript');
    await answer.body?.cancel();
  }
});

test('a site of this machine alone is no demonstration (O7)', async ({ page, site }) => {
  await openAsAdministrator(page, site);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('complementary')).toHaveCount(0);
});

test('a script that somebody smuggles in does not run, and these journeys would notice it (security 37)', async ({
  page,
  expectConsole,
}) => {
  expectConsole(
    /policy violation: (?:script|img)-src|Content Security Policy/,
    'what is smuggled in is refused',
  );
  const messages: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  await page.goto('/nothing-here');
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = "document.title = 'smuggled'";
    document.body.append(script);
    document.body.insertAdjacentHTML(
      'beforeend',
      '<img src="nothing:" onerror="document.title = \'smuggled\'">',
    );
  });
  await expect
    .poll(() => messages.filter((text) => text.startsWith('policy violation')).length)
    .toBeGreaterThan(0);
  expect(await page.title()).not.toBe('smuggled');
});

test('the headers of the page, with all that it has a browser fetch, fit into what proxies take', async ({
  site,
}) => {
  const cookie = `__Host-vestibule=${'a'.repeat(43)}`;
  const { headers } = await fetch(`${site.url}/layout/dashboard`, { headers: { cookie } });
  expect(headers.get('link')).toContain('/api/users/me');
  const bytes = [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  // nginx takes 4,096 by default, with the line before them; a deployment's policy names longer addresses.
  expect(bytes).toBeLessThan(3_800);
});

test('the dashboard is made of few programs: a browser may ask for six at a time, and waits for each', async ({
  site,
}) => {
  const cookie = `__Host-vestibule=${'a'.repeat(43)}`;
  const { headers } = await fetch(`${site.url}/layout/dashboard`, { headers: { cookie } });
  const programs = headers.get('link')?.match(/rel=modulepreload/g) ?? [];
  // One more for each part that somebody splits off; `nearlyEverywhere` in apps/web/vite.config.ts keeps small ones together.
  expect(programs.length).toBeGreaterThan(10);
  expect(programs.length).toBeLessThanOrEqual(24);
});

test('without a licence key no program of the paid grid is fetched, and no watermark shows (J1)', async ({
  page,
  site,
}) => {
  await openAsAdministrator(page, site);
  expect(await listLoadedGridEditions(page)).toEqual(['grid-community']);
  await expect(page.locator('.ag-watermark')).toHaveCount(0);
});
