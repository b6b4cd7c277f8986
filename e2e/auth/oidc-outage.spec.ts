/**
 * An OpenID Provider that has never responded (E3, M2). Each test needs a new site, because the server caches
 * the metadata.
 */
import { expect, expectDashboard } from '../fixtures/site-test.ts';
import { oidcTest, makeProviderUnavailable } from '../fixtures/oidc-site.ts';

const test = oidcTest({ methods: ['acme'] });

test('pressing the button of an unavailable provider shows an error, and signs in when it is available again (E3, M2)', async ({
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
  // The server retries after half a second.
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
