/** Several ways to sign in for one person, confirming by one that it is them, and moving people from one to another (M5). */
import { expectNoViolation } from './axe.ts';
import { expect, expectDashboard, type Page } from './journey.ts';
import { oidcTest, type OidcSite } from './oidc-site.ts';
import { somebody, type Person } from './running-site.ts';

const test = oidcTest({ ways: ['acme', 'globex'], withB2c: true, env: { OIDC_GLOBEX_EMAIL: 'ask' } });

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });

/** Somebody who is inside by an account at Acme, in this browser. */
async function enterByAcme(
  page: Page,
  oidc: OidcSite,
  { name, role = 'member' }: { name: string; role?: 'member' | 'admin' },
): Promise<Person> {
  const person = somebody(name);
  const { link } = await oidc.invite(person.email, role);
  oidc.isNext(person);
  await page.goto(link);
  await button(page, 'Continue with Acme').click();
  await expectDashboard(page, person);
  return person;
}

/** As if they had signed in an hour ago. */
const anHourAgo = (oidc: OidcSite, { email }: Person) =>
  oidc.sql(
    "update sessions set created_at = created_at - interval '1 hour' where person_id = (select id from people where email = $1)",
    [email],
  );

test('a step that needs a fresh sign-in asks for it, and leads back to the same screen; somebody else confirms nothing (M5)', async ({
  page,
  oidc,
  expectConsole,
}) => {
  expectConsole(/status of 403 .*\/api\/tokens/, 'the sign-in is not fresh');
  const person = await enterByAcme(page, oidc, { name: 'Fred Fresh', role: 'admin' });
  await anHourAgo(oidc, person);
  await page.goto('/layout/settings');
  const createToken = async () => {
    await button(page, 'New token').click();
    await page.getByLabel('Purpose').fill('Nightly import');
    await page.getByLabel('Invite').check();
    await button(page, 'Create token').click();
  };
  await createToken();
  const confirm = dialog(page, 'Confirm that it is you');
  await expect(confirm).toBeVisible();
  await expectNoViolation(page, 'confirming');
  await page.screenshot({ path: 'test-results/moving-confirm.png' });
  await confirm.getByRole('button', { name: 'Cancel' }).click();
  // Nothing was made, and nothing is lost of what was typed.
  await expect(page.getByText('Confirm that it is you, then try again.')).toBeVisible();
  await expect(page.getByLabel('Purpose')).toHaveValue('Nightly import');

  await button(page, 'Create token').click();
  oidc.isNext(somebody('Eve Else'));
  // A provider that is left as one person and entered as another ends the first one's sessions here, too.
  await page.context().clearCookies({ domain: '127.0.0.1' });
  await confirm.getByRole('button', { name: 'Sign in again' }).click();
  const problem = dialog(page, 'Not confirmed');
  await expect(problem).toContainText(person.email);
  await problem.getByRole('button', { name: 'Back' }).click();
  await page.waitForURL('**/layout/settings');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings');

  await createToken();
  oidc.isNext(person);
  await confirm.getByRole('button', { name: 'Sign in again' }).click();
  await expect(page.getByText('Confirmed. Do it once more.')).toBeVisible();
  expect(page.url()).toBe(`${oidc.url}/layout/settings`);
  await createToken();
  await expect(dialog(page, 'Your access token')).toBeVisible();
});
