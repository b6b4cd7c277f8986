/** Passkey management by users and administrators (M7, M8): profile, person page and settings. */
import { expect, expectDashboard, type Page } from '../fixtures/site-test.ts';
import {
  button,
  acceptWithPasskey,
  openAsAdministrator,
  emailCodeLabel,
  signInByCode,
  test,
  getStepError,
} from '../fixtures/passkeys-test.ts';
import { waitForCode } from '../fixtures/passkeys-site.ts';
import { addAuthenticator } from '../fixtures/virtual-authenticator.ts';

const card = (page: Page) =>
  page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Sign-in methods' }) });
const list = (page: Page) => card(page).getByRole('region', { name: 'Passkeys' }).getByRole('listitem');

test('a user confirms an old sign-in, adds a passkey and removes the first, but not the last sign-in method (M7, M8)', async ({
  page,
  passkeys,
  authenticator,
  expectConsole,
}) => {
  expectConsole(/status of 409/, 'the last sign-in method cannot be removed');
  expectConsole(/status of 403 .*\/passkeys\/options/, 'the sign-in is too old to add a passkey');
  const person = await passkeys.createInvitee('Petra Profile');
  await acceptWithPasskey(page, person);
  await page.goto('/layout/profile');
  await expect(list(page)).toHaveCount(1);
  await expect(list(page)).toContainText('On all devices of that account');
  await expect(card(page)).toContainText('You can also sign in with a code by e-mail.');

  for (const factor of ['passkey', 'code']) {
    await passkeys.letSignInAge(person, 11);
    await card(page).getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await expect(dialog).toBeVisible();
    if (factor === 'passkey') {
      await authenticator.setVerified(false);
      await dialog.getByRole('button', { name: 'Use a passkey' }).click();
      await expect(dialog.getByRole('alert')).toContainText('No passkey was used.');
      await authenticator.setVerified(true);
      await dialog.getByRole('button', { name: 'Use a passkey' }).click();
    } else {
      await dialog.getByRole('button', { name: emailCodeLabel }).click();
      await dialog.getByLabel('Code').fill(await waitForCode(passkeys, person.email));
      await page.keyboard.press('Enter');
    }
    await expect(dialog).toBeHidden();
    // The action continues after the confirmation; this device already has a passkey.
    await expect(page.getByText('This device already has a passkey of yours for this site.')).toBeVisible();
    await page.reload();
    await expect(list(page)).toHaveCount(1);
  }

  await authenticator.remove();
  const other = await addAuthenticator(page, { isSynced: false, isVerified: false });
  await card(page).getByRole('button', { name: 'Add a passkey' }).click();
  await expect(page.getByText('No passkey was created.')).toBeVisible();
  await other.setVerified(true);
  await card(page).getByRole('button', { name: 'Add a passkey' }).click();
  const naming = page.getByRole('dialog', { name: 'Name of the passkey' });
  await naming.getByLabel('Name').fill('');
  await naming.getByRole('button', { name: 'Save' }).click();
  await expect(naming).toContainText('Give it a name.');
  await naming.getByLabel('Name').fill('Work laptop');
  await page.keyboard.press('Enter');
  await expect(list(page)).toHaveCount(2);
  await expect(list(page).filter({ hasText: 'Work laptop' })).toContainText('On one device only');
  expect(await other.credentials()).toHaveLength(1);

  await list(page)
    .filter({ hasNotText: 'Work laptop' })
    .getByRole('button', { name: /^Remove/ })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(list(page)).toHaveCount(1);
  await passkeys.mailTo(person.email, /removed/i);

  await passkeys.changeSetting('passkeyRequired', 'everybody');
  try {
    await page.reload();
    await list(page).getByRole('button', { name: 'Remove Work laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect(page.getByText('This is your last sign-in method.')).toBeVisible();
    await expect(list(page)).toHaveCount(1);
  } finally {
    await passkeys.changeSetting('passkeyRequired', null);
  }

  // Without a passkey, only a code can confirm the session.
  await page.reload();
  await list(page).getByRole('button', { name: 'Remove Work laptop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(card(page).getByText('None yet.')).toBeVisible();
  await passkeys.letSignInAge(person, 11);
  await card(page).getByRole('button', { name: 'Add a passkey' }).click();
  const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await expect(confirm.getByRole('button', { name: emailCodeLabel })).toBeVisible();
  await expect(confirm.getByRole('button', { name: 'Use a passkey' })).toBeHidden();
});

test("an administrator resets a person's sign-in, undoes it and repeats it: after five minutes all passkeys are deleted and a mail explains what to do (M8)", async ({
  page,
  passkeys,
  otherBrowser,
  authenticator,
  expectConsole,
}) => {
  expectConsole(/status of 40[134]/, 'the session has ended, and the passkey is unknown');
  const person = await passkeys.createInvitee('Rita Reset');
  await acceptWithPasskey(page, person);
  const admin = await otherBrowser();
  await openAsAdministrator(admin, passkeys, `/layout/people/${await passkeys.getPersonId(person)}`);
  await expect(list(admin)).toHaveCount(1);
  const reset = async () => {
    await card(admin).getByRole('button', { name: 'Reset sign-in' }).click();
    await admin.getByRole('dialog').getByRole('button', { name: 'Reset sign-in' }).click();
    await expect(card(admin).getByText('has reset the sign-in')).toBeVisible();
  };
  await reset();
  await card(admin).getByRole('button', { name: 'Undo' }).click();
  await expect(card(admin).getByRole('button', { name: 'Reset sign-in' })).toBeVisible();
  expect(await authenticator.credentials()).toHaveLength(1);

  await passkeys.sql(
    `insert into rate_limits (key, used, ends_at) values ('guessed codes:${person.email}', 9, now() + interval '1 day')`,
  );
  await admin.reload();
  const allowCodes = card(admin).getByRole('button', { name: 'Allow codes again' });
  await allowCodes.click();
  await expect(allowCodes).toBeHidden();

  await reset();
  await authenticator.setPresent(false);
  // Leaves the screen, which would redirect when the session ends.
  await page.goto('about:blank');
  await passkeys.sql("update sign_in_resets set takes_effect_at = now() - interval '1 second'");
  // The server's timer runs every 15 seconds.
  await expect
    .poll(() =>
      passkeys.sql('select 1 from passkeys p join people on people.id = p.person_id where email = $1', [
        person.email,
      ]),
    )
    .toEqual([]);
  const { text } = await passkeys.mailTo(person.email, /^Create a new passkey/);
  const link = /https?:\/\/\S+\/login\?sign-in=again\S*/.exec(text)?.[0] ?? '';
  await page.goto(link);
  await expect(page.getByLabel('E-mail address')).toHaveValue(person.email);
  // Leaves the screen before the authenticator becomes present. Otherwise the authenticator would respond to an open conditional
  // prompt, and the passkey would be deleted from it before the link is opened again.
  await page.goto(new URL('/favicon.svg', link).href);
  await authenticator.setPresent(true);
  await page.goto(link);
  await expect(getStepError(page)).toContainText('is unknown here');
  await expect.poll(() => authenticator.credentials()).toEqual([]);
  await signInByCode(page, passkeys, person.email);
  await button(page, 'Create a passkey').click();
  await expectDashboard(page, person);
});

test('administrators configure who needs a passkey and a code, and see the status of the sign-in method (M1, M8)', async ({
  page,
  passkeys,
  otherBrowser,
}) => {
  await openAsAdministrator(page, passkeys, '/layout/settings/sign-in');
  const section = page
    .locator('.card')
    .filter({ has: page.getByRole('heading', { name: 'Sign-in', exact: true }) });
  await expect(section.getByText(/^Last sign-in: /)).toBeVisible();
  await expect(page.getByRole('link', { name: 'Sign-in provider check' })).toHaveCount(0);
  await section.getByLabel('Passkey required').selectOption('For administrators');
  await section.getByLabel('Accepting an invitation').selectOption('With the link and a mailed code');
  await section.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Done: Saved.')).toBeVisible();
  try {
    const person = await passkeys.createInvitee();
    const invited = await otherBrowser();
    await addAuthenticator(invited);
    await invited.goto(person.link);
    await expect(button(invited, emailCodeLabel)).toBeVisible();
    await expect(button(invited, 'Continue with a passkey')).toHaveCount(0);
  } finally {
    await section
      .getByRole('button', { name: 'Reset to With the link alone: Accepting an invitation' })
      .click();
    await section.getByRole('button', { name: 'Reset to For no one: Passkey required' }).click();
    await expect(section.getByText('Changed by')).toHaveCount(0);
  }
});
