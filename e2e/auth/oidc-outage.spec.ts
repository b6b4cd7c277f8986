/** An OpenID Provider that has never answered the site (E3, M2): each journey needs a site that knows nothing of it yet. */
import { expect, expectDashboard } from '../fixtures/site-test.ts';
import { oidcTest, makeProviderUnavailable } from '../fixtures/oidc-site.ts';

const test = oidcTest({ methods: ['acme'] });

test('a provider that is down is told in a sentence by the press on its button, and lets in once it is up (E3, M2)', async ({
  page,
  oidc,
  expectConsole,
}) => {
  expectConsole(/status of 503 .*\/api\/sign-in\/start/, 'the provider is down');
  const acme = page.getByRole('button', { name: 'Continue with Acme' });
  makeProviderUnavailable(oidc, /./);
  oidc.isNext(oidc.administrator);
  await page.goto(oidc.getFirstAdministratorLink());
  await acme.click();
  await expect(page.getByText('Acme cannot be reached right now. Try again in a minute.')).toBeVisible();
  oidc.providers.acme.next.instead = null;
  // The server asks it again after half a second.
  const start = {
    method: 'POST',
    headers: { origin: oidc.url, 'content-type': 'application/json' },
    body: '{}',
  };
  await expect.poll(async () => (await fetch(`${oidc.url}/api/sign-in/start`, start)).status).toBe(200);
  await page.getByRole('button', { name: 'Try again' }).click();
  await acme.click();
  await expectDashboard(page, oidc.administrator);
});
