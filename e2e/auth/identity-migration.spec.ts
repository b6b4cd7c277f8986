/** Several sign-in methods per person, step-up authentication, and migration between sign-in methods (M5). */
import { expectNoViolation } from '../screens/axe.ts';
import { expect, expectDashboard, fillSignIn, type Page } from '../fixtures/site-test.ts';
import { getRow, searchFor } from '../lists/list-page.ts';
import { severalMethodsTest as test, type OidcSite } from '../fixtures/oidc-site.ts';
import { createPerson, type Mail, type Person } from '../../packages/testing/src/site.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });

/** Creates a member who signed in with Acme in this browser. */
async function signInWithAcme(
  page: Page,
  oidc: OidcSite,
  { name, role = 'member' }: { name: string; role?: 'member' | 'admin' },
): Promise<Person> {
  const person = createPerson(name);
  const { link } = await oidc.invite(person.email, role);
  oidc.isNext(person);
  await page.goto(link);
  await button(page, 'Continue with Acme').click();
  await expectDashboard(page, person);
  return person;
}

async function signInWithB2c(page: Page, person: Person, address: string): Promise<void> {
  await page.goto('/');
  await button(page, 'Continue with Microsoft').click();
  await fillSignIn(page, person);
  await expectDashboard(page, person);
  await page.goto(address);
}

/** Adds a sign-in method on the profile screen. */
async function add(page: Page, methodName: string): Promise<void> {
  await button(page, 'Add another').click();
  await page.getByRole('menuitem', { name: methodName }).click();
}

async function createToken(page: Page): Promise<void> {
  await button(page, 'New token').click();
  await page.getByLabel('Purpose').fill('Nightly import');
  await page.getByLabel('Invite').check();
  await button(page, 'Create token').click();
}

const linkIn = ({ text }: Mail) => /\S+\/move\?m=\S+/.exec(text)?.[0] ?? '';

/** Backdates the sign-in by an hour. */
const backdateSignIn = (oidc: OidcSite, { email }: Person) =>
  oidc.sql(
    "update sessions set created_at = created_at - interval '1 hour', authenticated_at = authenticated_at - interval '1 hour' where person_id = (select id from people where email = $1)",
    [email],
  );

test('an action that needs a recent sign-in asks for it and returns to the same screen (M5)', async ({
  page,
  oidc,
  expectConsole,
}) => {
  expectConsole(/status of 403 .*\/api\/tokens/, 'the sign-in is not recent');
  const person = await signInWithAcme(page, oidc, { name: 'Fred Fresh', role: 'admin' });
  await backdateSignIn(oidc, person);
  await page.goto('/layout/settings/tokens');
  await createToken(page);
  const confirm = dialog(page, 'Confirm that it is you');
  await expect(confirm).toBeVisible();
  await expectNoViolation(page, 'confirming');
  await confirm.getByRole('button', { name: 'Cancel' }).click();
  // Nothing was created, and the form still has its values.
  await expect(page.getByText('Confirm that it is you, then try again.')).toBeVisible();
  await expect(page.getByLabel('Purpose')).toHaveValue('Nightly import');

  await button(page, 'Create token').click();
  oidc.isNext(person);
  // Without auth_time from the provider, an e-mailed code confirms the user.
  oidc.providers.acme.forgeIdToken((claims) => ({ ...claims, auth_time: undefined }));
  await confirm.getByRole('button', { name: 'Sign in again' }).click();
  await expect(page.getByText('A code is on its way to your address.')).toBeVisible();
  oidc.providers.acme.next.rewrite = null;
  const { text } = await oidc.mailTo(person.email, /is your code/);
  await page.getByLabel('Code').fill(/\b\d{6}\b/.exec(text)?.[0] ?? '');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Confirmed. Now try again.')).toBeVisible();
  expect(page.url()).toBe(`${oidc.url}/layout/settings/tokens`);
  await createToken(page);
  await expect(dialog(page, 'Your access token')).toBeVisible();
});

test('a member adds a second sign-in method, signs in with it and removes the first, but cannot remove the last (M5)', async ({
  page,
  otherBrowser,
  oidc,
}) => {
  const person = await signInWithAcme(page, oidc, { name: 'Anna Added' });
  await page.goto('/layout/profile');
  const methods = page.getByRole('region', { name: 'Sign-in methods' });
  await expect(methods.getByRole('listitem')).toHaveText([new RegExp(`Acme \\(${person.email}\\)`)]);
  await expect(methods.getByRole('button', { name: /^Remove/ })).toHaveCount(0);

  oidc.isNext(person, { way: 'globex' });
  await add(page, 'Globex');
  await expect(page.getByText('Added. You can now sign in with it.')).toBeVisible();
  expect(page.url()).toBe(`${oidc.url}/layout/profile`);
  await expect(methods.getByRole('listitem')).toHaveCount(2);
  expect((await oidc.mailTo(person.email, /now sign in/)).text).toContain('Globex');

  const elsewhere = await otherBrowser();
  await elsewhere.goto('/');
  await button(elsewhere, 'Continue with Globex').click();
  await expectDashboard(elsewhere, person);
  await elsewhere.goto('/layout/profile');
  const there = elsewhere.getByRole('region', { name: 'Sign-in methods' });
  await there.getByRole('button', { name: /^Remove Acme/ }).click();
  await elsewhere.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(there.getByRole('listitem')).toHaveText([/Globex/]);
  await expect(there.getByRole('button', { name: /^Remove/ })).toHaveCount(0);
  // The first browser's session belongs to the removed method.
  await expect(page.getByText('You are signed out.')).toBeVisible();
});

test('selected people migrate through a link in a mail: role, files and history stay, and the old method is disabled for them (M5)', async ({
  page,
  otherBrowser,
  oidc,
}) => {
  const person = await oidc.createMember({ name: 'Mona Mover' });
  await oidc.upload(person, { name: 'Mine.txt', type: 'text/plain', contents: Buffer.from('Mine') });
  await signInWithB2c(page, oidc.administrator, '/layout/people');
  await searchFor(page, person.email);
  await page.getByRole('checkbox', { name: `Select ${person.name}`, exact: true }).click();
  await button(page, 'Move to another method').click();
  const confirmation = dialog(page, 'Send the link: 1 person');
  await expect(confirmation.getByRole('listitem').locator('.person')).toContainText(person.email);
  await expect(confirmation.getByRole('listitem')).toContainText('Mona Mover');
  await confirmation.getByLabel('They sign in with').selectOption({ label: 'Globex' });
  await expect(confirmation.frameLocator('iframe').getByRole('link', { name: 'Move now' })).toBeVisible();
  await confirmation.getByRole('button', { name: 'Send the link: 1 person' }).click();
  await expect(page.getByText('1 link is on its way.')).toBeVisible();
  await page.goto('/layout/people/move?way=globex');
  await expect(getRow(page, person.name)).toContainText('Waiting');

  const link = linkIn(await oidc.mailTo(person.email, /Globex/));
  const theirs = await otherBrowser();
  await theirs.goto(link);
  await expect(theirs.getByText(/^Vestibule is moving to Globex\./)).toBeVisible();
  await expect(theirs.getByText(`This link is for ${person.email}.`)).toBeVisible();
  await expectNoViolation(theirs, 'the link of a move');
  await page.reload();
  await expect(getRow(page, person.name)).toContainText('Opened');

  // Globex does not verify addresses, so a mailed code is required once.
  oidc.isNext(person, { way: 'globex', verified: false });
  await button(theirs, 'Continue with Globex').click();
  await expect(theirs.getByText(/your address here/)).toBeVisible();
  const { text } = await oidc.mailTo(person.email, /code/i);
  await theirs.getByLabel('Code').fill(/\b\d{6}\b/.exec(text)?.[0] ?? '');
  await theirs.keyboard.press('Enter');
  await expectDashboard(theirs, person);
  await theirs.goto('/attachment');
  await expect(getRow(theirs, 'Mine.txt')).toBeVisible();
  await expect(getRow(page, person.name)).toContainText('Moved');

  await button(page, 'Close the old method').click();
  const close = page.getByRole('dialog', { name: /^Close Microsoft: / });
  await close.getByRole('button', { name: /^Close Microsoft: / }).click();
  await expect(page.getByText(/Microsoft is closed for /)).toBeVisible();
  await page.goto(`/layout/people/${await oidc.getPersonId(person)}`);
  await expect(page.getByRole('region', { name: 'Sign-in methods' }).getByRole('listitem')).toHaveText([
    /Globex/,
  ]);
});
