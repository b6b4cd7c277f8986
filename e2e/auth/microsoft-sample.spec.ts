/**
 * Runs the steps of Microsoft's own tests for B2C pages (msal-react's B2C sample, local-account.spec.ts) on
 * the emulator: wait for an element, focus it, type (L3). The sample itself is not included; it needs its own
 * installation.
 */
import { startB2cEmulator } from '../../packages/b2c-emulator/src/b2c-emulator.ts';
import { expect, test as base, type Page } from '@playwright/test';

const clientId = 'e3b9ad76-9763-4827-b088-80c7a7888f79';
const application = 'http://localhost:3999/';
const person = { email: 'ada@example.com', password: 'Correct-Horse-9', displayName: 'Ada' };

const test = base.extend<{ authorizeAt: (policy: string) => string }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures from a pattern.
  authorizeAt: async ({}, use) => {
    const emulator = await startB2cEmulator(
      {
        tenant: 'msidlabb2c',
        tenantId: 'ce3d0ba5-1b95-4d1d-9f5f-5d5ad4b0a8c1',
        policies: {
          B2C_1_SISOPolicy: 'sign-in',
          B2C_1A_SignIn: 'sign-in',
        },
        clients: [{ clientId, redirectUris: [application], scopes: [] }],
        people: [person],
        port: 0,
      },
      { sendMail: () => Promise.resolve() },
    );
    await use((policy) => {
      const parameters = new URLSearchParams({
        client_id: clientId,
        redirect_uri: application,
        response_type: 'code',
        scope: 'openid',
        // The challenge belongs to the verifier "x"; no code is redeemed.
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      });
      return `${emulator.url}/msidlabb2c.onmicrosoft.com/${policy}/oauth2/v2.0/authorize?${parameters.toString()}`;
    });
    await emulator.close();
  },
});

/** Like Puppeteer's page.type(): focuses the element and presses keys. */
async function type(page: Page, selector: string, text: string): Promise<void> {
  await page.locator(selector).waitFor();
  await page.locator(selector).evaluate((element: HTMLElement) => element.focus());
  await page.keyboard.type(text);
}

test.beforeEach(({ page }) =>
  page.route(`${application}**`, (route) => route.fulfill({ contentType: 'text/html', body: 'back' })),
);

for (const [policy, field] of [
  ['B2C_1_SISOPolicy', '#logonIdentifier'],
  ['B2C_1A_SignIn', '#email'],
] as const)
  test(`a sign-in at ${policy} works by typing into ${field}`, async ({ page, authorizeAt }) => {
    await page.goto(authorizeAt(policy));
    await type(page, field, person.email);
    await type(page, '#password', person.password);
    await page.click('#next');
    await expect(page).toHaveURL(/^http:\/\/localhost:3999\/\?code=/);
  });
