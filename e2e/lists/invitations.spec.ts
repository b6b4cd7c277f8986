/** Existing invitations (K2, D15): failed mails, renewal, details and bulk actions. */
import { getInviteDialog } from './invitation-page.ts';
import { openAsAdministrator, expect, expectSignInPage, test } from '../fixtures/site-test.ts';
import { chooseRowAction, getDialog, getSidePanel, getRow, searchFor } from './list-page.ts';
import { expectNoViolation } from '../screens/axe.ts';
import { createPerson, inviteUnreachable } from '../../packages/testing/src/site.ts';

test('a bounced mail shows the reason and is sent to a corrected address; an expired invitation is renewed and redeemed (K2, N)', async ({
  page,
  site,
}) => {
  const person = createPerson();
  const wrong = await inviteUnreachable(site);
  await openAsAdministrator(page, site, '/layout/invitations');
  await searchFor(page, wrong);
  await expect(getRow(page, wrong)).toContainText('Failed');
  await chooseRowAction(page, wrong, 'Details');
  const details = getSidePanel(page, `Invitation of ${wrong}`);
  await expect(details).toContainText('The e-mail was not delivered. This mailbox does not exist.');
  await expect(details).toContainText('No such mailbox here');
  await expect(details.getByRole('listitem').first()).toContainText('Invited');

  await details.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Change address' }).click();
  const change = getDialog(page, `Change the address: ${wrong}`);
  await change.getByLabel('E-mail address').fill(person.email);
  await change.getByRole('button', { name: 'Change and send' }).click();
  await expect(page.getByText(`The invitation is on its way to ${person.email}.`)).toBeVisible();
  const link = await site.linkTo(person.email);
  await expect(getSidePanel(page, `Invitation of ${person.email}`)).toContainText('Address changed');
  await site.signUp(person, link);

  const late = createPerson();
  const { id, link: oldLink } = await site.invite(late.email);
  await site.linkTo(late.email);
  await site.sql("update invitations set expires_at = now() - interval '1 minute' where id = $1", [id]);
  await searchFor(page, late.email);
  await expect(getRow(page, late.email)).toContainText('Expired');
  await chooseRowAction(page, late.email, 'Renew');
  await getDialog(page, `Renew: ${late.email}`).getByRole('button', { name: 'Renew invitation' }).click();
  await expect(page.getByText(`A new link for ${late.email} is on its way.`)).toBeVisible();
  const newLink = await site.linkTo(late.email, 2);
  expect(newLink).not.toBe(oldLink);
  await expect(getRow(page, late.email)).toContainText(/in \d days/);

  await site.signUp(late, newLink);
  // The list updates without a reload and links to the person.
  await expect(getRow(page, late.email)).toContainText('Redeemed');
  // A redeemed invitation has no expiry.
  await expect(getRow(page, late.email)).not.toContainText(/in \d days/);
  await chooseRowAction(page, late.email, 'Details');
  await expect(page.locator('.side-panel')).toContainText('Redeemed');
  await expect(page.locator('.side-panel').getByText('Expires', { exact: true })).toHaveCount(0);
  await page.getByRole('link', { name: 'Show the person' }).click();
  await expect(getSidePanel(page, late.name)).toContainText(late.email);
});

test('an expired link offers to request a new one, which is sent to the invited address (D6, D15)', async ({
  page,
  site,
}) => {
  const person = createPerson();
  const { id, link } = await site.invite(person.email);
  await site.linkTo(person.email);
  await site.sql("update invitations set expires_at = now() - interval '1 minute' where id = $1", [id]);
  await page.goto(link);
  const expired = getDialog(page, 'Sign up error');
  await expect(expired.locator('p')).toHaveText(
    'Invite link is expired. Please contact support at support@example.com with any questions.',
  );
  await expectNoViolation(page, 'an expired link');
  await expired.getByRole('button', { name: 'Send me a new link' }).click();
  const checkMailboxDialog = getDialog(page, 'Check your mailbox');
  await expect(checkMailboxDialog).toContainText('a new link is on its way to the invited address');
  await expectNoViolation(page, 'a new link asked for');
  await checkMailboxDialog.getByRole('button', { name: 'Ok' }).click();
  await expectSignInPage(page);
  await site.signUp(person, await site.linkTo(person.email, 2));
});

test('many invitations are revoked together, and open one after another in the side panel while the list stays (K2)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 409/, 'another administrator was first');
  const mark = `revoked-${process.pid}`;
  const addresses = [1, 2, 3, 4, 5].map((number) => `${mark}-${number}@example.com`);
  const last = addresses[3] ?? '';
  const [revoked, raced, , fourth] = await Promise.all(addresses.map((email) => site.invite(email)));
  await site.callAsAdmin('POST', `/api/invitations/${revoked?.id}/revoke`);
  await openAsAdministrator(page, site, '/layout/invitations');
  await page.getByRole('searchbox').fill(mark);
  await expect(page.getByText('5 invitations', { exact: true })).toBeVisible();
  for (const email of addresses.slice(0, 3)) {
    await getRow(page, email).getByRole('checkbox').click();
    await expect(getRow(page, email).getByRole('checkbox')).toBeChecked();
  }
  const selected = page.getByRole('group', { name: 'Selected rows' });
  await expect(selected.getByRole('button', { name: 'Renew 0 of 3' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await selected.getByRole('button', { name: 'Revoke 2 of 3' }).click();
  const confirmation = getDialog(page, 'Revoke: 2 invitations');
  await expect(confirmation).toContainText('Unchanged: 1 is revoked.');
  await expect(confirmation.getByRole('listitem').locator('.person')).toContainText(addresses.slice(1, 3));
  // Another administrator revokes one of the two invitations first.
  await site.callAsAdmin('POST', `/api/invitations/${raced?.id}/revoke`);
  await confirmation.getByRole('button', { name: 'Revoke: 2 invitations' }).click();
  await expect(page.getByText('1 invitation revoked.')).toBeVisible();
  const skipped = getDialog(page, '1 invitation skipped');
  await expect(skipped).toContainText(addresses[1] ?? '');
  // The action button disappeared with the selection.
  await skipped.getByRole('button', { name: 'Close' }).last().click();
  await expect(page.getByRole('searchbox')).toBeFocused();
  await getRow(page, addresses[4] ?? '')
    .getByRole('checkbox')
    .click();
  await selected.getByRole('button', { name: 'Revoke' }).click();
  const single = getDialog(page, 'Revoke: 1 invitation');
  await single.getByRole('button', { name: 'Revoke: 1 invitation' }).click();
  await expect(single).toHaveCount(0);
  await expect(page.getByRole('searchbox')).toBeFocused();

  await chooseRowAction(page, last, 'Revoke');
  await site.callAsAdmin('POST', `/api/invitations/${fourth?.id}/revoke`);
  await getDialog(page, `Revoke: ${last}`).getByRole('button', { name: 'Revoke invitation' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'no longer open' })).toBeVisible();
  await expect(getRow(page, last)).toContainText('Revoked');

  const beside = `beside-${process.pid}`;
  const [first, second] = [`${beside}-a@example.com`, `${beside}-b@example.com`];
  const { id } = await site.invite(first);
  await site.invite(second);
  await site.callAsAdmin('POST', `/api/invitations/${id}/revoke`);
  await page.getByRole('searchbox').fill(beside);
  await expect(page.getByText('2 invitations', { exact: true })).toBeVisible();
  // The newest invitation is the first row.
  await getRow(page, second).getByRole('gridcell').nth(1).click();
  const [ofFirst, ofSecond] = [
    getSidePanel(page, `Invitation of ${first}`),
    getSidePanel(page, `Invitation of ${second}`),
  ];
  await expect(ofSecond).toBeFocused();
  await expect(getRow(page, second)).toHaveClass(/grid-row-shown/);
  await expect(ofSecond.getByRole('listitem').first()).toContainText('Invited');

  await page.keyboard.press('j');
  await expect(ofFirst.getByText('Revoked on')).toBeVisible();
  await expect(getRow(page, first)).toHaveClass(/grid-row-shown/);
  await page.keyboard.press('k');
  await expect(ofSecond).toBeVisible();
  await ofSecond.getByRole('button', { name: 'Revoke' }).click();
  await getDialog(page, `Revoke: ${second}`).getByRole('button', { name: 'Revoke invitation' }).click();
  // The button is removed after the dialog.
  await expect(ofSecond.getByText('Revoked on')).toBeVisible();
  await expect(ofSecond).toBeFocused();
  await ofSecond.getByRole('button', { name: 'Next row' }).click();
  await expect(ofFirst).toBeVisible();

  // The URL of the open panel can be shared.
  await page.reload();
  await expect(ofFirst).toBeFocused();
  await expect(getRow(page, first)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(ofFirst).toHaveCount(0);
  await expect(getRow(page, first).getByRole('gridcell').first()).toBeFocused();
  await page.keyboard.press('Enter');
  await ofFirst.getByRole('button', { name: 'Invite again' }).click();
  await expect(getInviteDialog(page).getByLabel('E-mail addresses')).toHaveValue(new RegExp(first));
});

test('a dialog or panel whose script cannot be loaded fails alone, and is loaded by "Try again"', async ({
  page,
  context,
  site,
  expectConsole,
}) => {
  expectConsole(/dynamically imported module|ERR_FAILED/, 'the scripts are missing');
  const { email } = createPerson();
  await site.invite(email);
  await openAsAdministrator(page, site, '/layout/invitations');
  await searchFor(page, email);
  const scripts = '**/assets/{invite-dialog,qr-dialog,invitation-panel}-*.js';
  await context.route(scripts, (route) => route.abort());
  const failed = getDialog(page, 'This part failed');
  for (const open of [
    () => page.getByRole('button', { name: 'Invite someone' }).first().click(),
    () => chooseRowAction(page, email, 'QR code'),
    () => chooseRowAction(page, email, 'Details'),
  ]) {
    await open();
    await expect(failed).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(getRow(page, email)).toBeVisible();
  }
  await chooseRowAction(page, email, 'Details');
  await context.unroute(scripts);
  await failed.getByRole('button', { name: 'Try again' }).click();
  await expect(getSidePanel(page, `Invitation of ${email}`)).toBeVisible();
});
