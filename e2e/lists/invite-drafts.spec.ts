/** Drafts of invitations, and sending exactly once even if the connection is lost (K2). */
import { expectNoViolation } from '../screens/axe.ts';
import { getReviewDialog, openInviteDialog, getInviteDialog } from './invitation-page.ts';
import {
  expect,
  expectSignInPage,
  fillSignIn,
  goBack,
  goForward,
  openBlankPage,
  signOut,
  test,
} from '../fixtures/site-test.ts';
import { getDialog, getRow } from './list-page.ts';
import { createPerson } from '../../packages/testing/src/site.ts';

test('a connection lost while sending is resumed, also after a reload, and nothing is sent twice (K2)', async ({
  page,
  context,
  site,
  expectConsole,
}) => {
  expectConsole(/net::ERR_/, 'the connection is cut');
  const people = [createPerson(), createPerson()];
  await openInviteDialog(page, site);
  await getInviteDialog(page)
    .getByLabel('E-mail addresses')
    .fill(people.map(({ email }) => email).join('\n'));
  await getInviteDialog(page).getByRole('button', { name: 'Check 2 addresses' }).click();

  const keys: (string | undefined)[] = [];
  let isLost = true;
  await context.route('**/api/invitations/batches', async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    if (!isLost) return route.continue();
    // The server handles the request, but the response is lost.
    await route.fetch();
    return route.abort('connectionreset');
  });
  await expect(getReviewDialog(page)).toHaveAccessibleDescription('');
  await getReviewDialog(page).getByRole('button', { name: 'Send 2 invitations' }).click();
  await expect(page.getByText('Connection lost.')).toBeVisible();
  await expectNoViolation(page, 'a lost connection');
  await page.reload();
  await expect(getDialog(page, 'Sending the invitations')).toBeVisible();
  await expect.poll(() => keys.length).toBeGreaterThan(1);
  isLost = false;
  await expect(
    getDialog(page, 'Invitations sent').getByText('2 e-mails sent.', { exact: true }),
  ).toBeVisible();
  expect(new Set(keys).size).toBe(1);
  for (const { email } of people) expect(await site.mailsTo(email)).toHaveLength(1);
});

test('closing the dialog or leaving the screen keeps all typed values, and sending deletes them (K2)', async ({
  page,
  site,
}) => {
  await openInviteDialog(page, site);
  await getInviteDialog(page).getByLabel('E-mail addresses').fill('a@example.com, b@example');
  await getInviteDialog(page).getByLabel('Personal message (optional)').fill('Half a sentence');
  await page.keyboard.press('Escape');
  await page.getByRole('navigation').getByRole('link', { name: 'People' }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Invitations' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Invitations');
  await expect(getInviteDialog(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Invite someone' }).click();
  await expect(getInviteDialog(page).getByLabel('Personal message (optional)')).toHaveValue(
    'Half a sentence',
  );
  await getInviteDialog(page).getByRole('button', { name: 'Check 2 addresses' }).click();
  await expect(getReviewDialog(page).getByRole('heading', { name: 'Check the domain 1' })).toBeVisible();
  await expect(getReviewDialog(page).getByRole('button', { name: 'Use b@example.com' })).toBeVisible();
  await expect(getReviewDialog(page).getByRole('status')).toContainText('2 people will be invited');
  // The user presses Back in the browser while the dialog is open.
  await goBack(page);
  await goForward(page);
  await expect(getReviewDialog(page)).toContainText('b@example');
  await getReviewDialog(page).getByRole('button', { name: 'Back' }).click();
  const addresses = getInviteDialog(page).getByLabel('E-mail addresses');
  await expect(addresses).toHaveValue('a@example.com, b@example');

  // The mail preview is next to the form.
  const mail = getInviteDialog(page).frameLocator('iframe[title="The e-mail as it will arrive"]');
  await expect(mail.getByText('Half a sentence')).toBeVisible();

  // A likely typo of a single address is shown in the review before sending, and can be corrected or confirmed.
  await addresses.fill('Cy Ray <cy@gmial.com>');
  await getInviteDialog(page).getByRole('button', { name: 'Send invitation' }).click();
  await expect(getReviewDialog(page).getByText('Did you mean gmail.com?')).toBeVisible();
  await getReviewDialog(page).getByRole('button', { name: 'Use cy@gmail.com' }).click();
  await expect(getReviewDialog(page).getByText('Did you mean')).toHaveCount(0);
  await getReviewDialog(page).getByRole('button', { name: 'Back' }).click();
  await expect(addresses).toHaveValue('Cy Ray <cy@gmail.com>');
  await addresses.fill('o’brien@example.com');
  await getInviteDialog(page).getByRole('button', { name: 'Send invitation' }).click();
  await expect(getReviewDialog(page).getByRole('button', { name: "Use o'brien@example.com" })).toBeVisible();
  await getReviewDialog(page).getByRole('button', { name: 'Back' }).click();
  const meant = `cy@contoso-${process.pid}`;
  await addresses.fill(meant);
  await expect(mail.getByText(meant)).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await expect(getReviewDialog(page).getByText('has no dot')).toBeVisible();
  await getReviewDialog(page).getByRole('button', { name: 'Send 1 invitation' }).click();
  await getDialog(page, 'Invitations sent').getByRole('button', { name: 'Done' }).click();
  await expect(getRow(page, meant)).toBeVisible();
  // Sending deletes the draft.
  await page.getByRole('button', { name: 'Invite someone' }).click();
  await expect(addresses).toHaveValue('');
});

test('a draft is deleted by a sign-out in another tab, and by the sign-in of another user (I3)', async ({
  page,
  context,
  site,
}) => {
  const address = createPerson().email;
  const typeAddress = async () => {
    await openInviteDialog(page, site);
    await getInviteDialog(page).getByLabel('E-mail addresses').fill(address);
  };
  const readStored = () => page.evaluate(() => JSON.stringify(sessionStorage));
  await typeAddress();
  const other = await context.newPage();
  await other.goto('/layout/dashboard');
  await signOut(other);
  await expectSignInPage(page);
  await openBlankPage(page);
  expect(await readStored()).not.toContain(address);

  await typeAddress();
  await page.reload();
  // The session ends without a sign-out. On a blank page, because the application would redirect to the sign-in at the same time.
  await openBlankPage(page);
  expect(await readStored()).toContain(address);
  await page.evaluate(() => localStorage.clear());
  await page.goto('/layout/invitations');
  await fillSignIn(page, await site.createMember({ role: 'admin' }));
  await page.getByRole('heading', { level: 1, name: 'Invitations' }).waitFor();
  expect(await readStored()).not.toContain(address);
});
