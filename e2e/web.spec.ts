/** What the page may load and run (security 37 and 38), and that no paid grid comes without a key (J1). */
import { enter, expect, gridPrograms, test } from './journey.ts';

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

test('a site of this machine alone is no demonstration (O7)', async ({ page, site }) => {
  await enter(page, site);
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

test('without a licence key no program of the paid grid is fetched, and no watermark shows (J1)', async ({
  page,
  site,
}) => {
  await enter(page, site);
  expect(await gridPrograms(page)).toEqual(['grid-community']);
  await expect(page.locator('.ag-watermark')).toHaveCount(0);
});
