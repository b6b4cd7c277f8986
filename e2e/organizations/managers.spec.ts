/** Managers of an organization: members, roles, invitations, activity; switching and joining (R2, R4, R5, R10). */
import { createOrganization, test } from '../fixtures/organizations-test.ts';
import { expect, fillSignIn, signIn, type Page } from '../fixtures/site-test.ts';
import { chooseRowAction, getRow } from '../lists/list-page.ts';
import { expectNoViolation } from '../screens/axe.ts';

const openTab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name, exact: true }).click();
const linkIn = ({ text }: { text: string }) => /^http\S+$/m.exec(text)?.[0] ?? '';

test('a manager invites a colleague with a role, changes it and removes the member (R4, R10)', async ({
  page,
  site,
  otherBrowser,
  expectConsole,
}) => {
  expectConsole(/status of 404/, 'a removed member opens the organization');
  const manager = await site.createMember({ name: 'Mara Manager' });
  const acme = await createOrganization(site, { name: 'Acme & Söhne', manager: [manager] });
  await signIn(page, manager);
  await expect(page.getByRole('main').getByRole('link', { name: acme.name })).toBeVisible();
  await page.getByRole('navigation').getByRole('link', { name: acme.name }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Members');
  await expect(page).toHaveTitle(`Members · ${acme.name} · Vestibule`);
  await expect(getRow(page, manager.email)).toContainText('Manager');

  await openTab(page, 'Invitations');
  await page.getByRole('button', { name: 'Invite someone' }).first().click();
  const colleague = {
    email: `colleague-${Date.now()}@example.com`,
    name: 'Cora Colleague',
    password: 'Passw0rd!x',
  };
  const form = page.getByRole('dialog', { name: 'Invite someone' });
  await form.getByLabel('E-mail address').fill(colleague.email);
  await form.getByText('Options').click();
  await form.getByLabel('Role').selectOption({ label: 'Manager' });
  await form.getByRole('button', { name: 'Send invitation' }).click();
  await expect(page.getByText(`The invitation for ${colleague.email} is on its way.`)).toBeVisible();
  await expect(getRow(page, colleague.email)).toContainText('Manager');

  const mail = await site.mailTo(colleague.email);
  expect(mail.subject).toBe(`Your invitation to ${acme.name} (Vestibule)`);
  await site.signUp(colleague, linkIn(mail));
  const other = await otherBrowser();
  await signIn(other, colleague);
  await expect(other.getByRole('navigation').getByRole('link', { name: acme.name })).toBeVisible();

  await openTab(page, 'Members');
  await expect(getRow(page, colleague.email)).toContainText('Manager');
  await chooseRowAction(page, manager.email, 'Give the role Member');
  await expect(page.getByRole('dialog')).toContainText('This is you. You cannot undo this yourself.');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await chooseRowAction(page, colleague.email, 'Give the role Member');
  await expect(getRow(page, colleague.email)).toContainText('Member');
  // Effective from the next request on: only what every member sees is left.
  await other.goto(`${acme.address}/members`);
  await expect(other.getByText('Your role does not include this page.')).toBeVisible();
  await expect(other.getByText(manager.email)).toBeVisible();
  const limits = { seatLimit: 5, expiresAt: '2099-12-31T23:00:00.000Z' };
  await site.call(site.administrator, 'PATCH', `/api/organizations/${acme.id}`, limits);
  await openTab(other, 'About');
  await expect(other.getByText('Your role')).toBeVisible();
  await expect(other.getByText('2 of 5 taken')).toBeVisible();
  await expect(other.getByRole('main').locator(`time[datetime="${limits.expiresAt}"]`)).toBeVisible();

  await chooseRowAction(page, colleague.email, 'Remove');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(getRow(page, colleague.email)).toHaveCount(0);
  await openTab(page, 'Activity');
  await expect(page.getByRole('row').filter({ hasText: colleague.email }).first()).toContainText('removed', {
    ignoreCase: true,
  });
  await other.reload();
  await expect(other.getByText('Organization not found')).toBeVisible();
});

test('a manager sees that the organization expires soon, and that a list has more people than free seats (R1)', async ({
  page,
  site,
}) => {
  const manager = await site.createMember({ name: 'Mia Manager' });
  const organization = await createOrganization(site, { name: 'Two seats', manager: [manager] });
  const limits = { seatLimit: 2, expiresAt: new Date(Date.now() + 10 * 86_400_000).toISOString() };
  await site.call(site.administrator, 'PATCH', `/api/organizations/${organization.id}`, limits);
  await signIn(page, manager);
  await page.goto(`${organization.address}/invitations`);
  await expect(page.getByText('This organization expires in')).toBeVisible();
  await page.getByRole('button', { name: 'Invite someone' }).first().click();
  const form = page.getByRole('dialog', { name: 'Invite someone' });
  await form.getByLabel('E-mail address').fill('one@example.org');
  await expect(form.getByText('Only 1 seat is free.')).toBeHidden();
  await form.getByLabel('E-mail address').fill('one@example.org, two@example.org');
  await expect(form.getByText('Only 1 seat is free.')).toBeVisible();
  await form.getByRole('button', { name: 'Check 2 addresses' }).click();
  const review = page.getByRole('dialog', { name: 'Review before sending' });
  await expect(review.getByText('Only 1 seat is free.')).toBeVisible();
  await expectNoViolation(page, 'the warning about seats');
});

test('an invitation names the invited address to another account, and says that its organization is suspended', async ({
  page,
  site,
}) => {
  const [person, other] = [await site.createMember(), await site.createMember()];
  const { id } = await createOrganization(site, {});
  const invited = await site.call(site.administrator, 'POST', `/api/organizations/${id}/invitations`, {
    email: person.email,
  });
  expect(invited.status).toBe(200);
  const link = linkIn(await site.mailTo(person.email, /Acme/));
  await page.goto(link);
  await fillSignIn(page, other);
  await expect(page.getByText('This invitation is for another address')).toBeVisible();
  await expect(page.locator('main')).toContainText(
    `The invitation was sent to ${person.email}, but you signed in as ${other.email}.`,
  );
  await expectNoViolation(page, 'an invitation to another address');
  const address = page.url();
  await page.goto(`${address}${'x'.repeat(300)}`);
  await page.reload();
  await expect(page.getByText('This invitation cannot be accepted here')).toBeVisible();
  await page.goto(address);
  await page.reload();
  await page.getByRole('button', { name: `Continue as ${person.email}` }).click();
  await fillSignIn(page, person);
  await expect(page.getByRole('button', { name: 'Join Acme' })).toBeVisible();

  await site.call(site.administrator, 'PATCH', `/api/organizations/${id}`, { status: 'suspended' });
  await page.reload();
  await expect(page.getByRole('alert')).toContainText('Acme is suspended');
  await expect(page.getByRole('button', { name: 'Join Acme' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Decline' })).toBeVisible();
  await expectNoViolation(page, 'an invitation to a suspended organization');
  await page.goto(link);
  await expect(page.getByRole('dialog')).toContainText('The organization of this invitation is suspended');
});

test('a person with an account accepts an invitation after signing in, and switches between two organizations (R2, R5)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 409/, 'the last manager cannot leave');
  const person = await site.createMember({ name: 'Otto Other' });
  const manager = await site.createMember();
  const acme = await createOrganization(site, { manager: [person] });
  const bolt = await createOrganization(site, { name: 'Bolt', slug: 'bolt', manager: [manager] });
  const invited = await site.call(manager, 'POST', `/api/organizations/${bolt.id}/invitations`, {
    email: person.email,
    role: 'manager',
  });
  expect(invited.status).toBe(200);

  await page.goto(linkIn(await site.mailTo(person.email, /Bolt/)));
  await fillSignIn(page, person);
  await expect(page.getByRole('heading', { name: /invites you to Bolt/ })).toBeVisible();
  await expectNoViolation(page, 'an invitation to an organization');
  await page.getByRole('button', { name: 'Join Bolt' }).click();
  await expect(page.getByText('You are now a member of Bolt.')).toBeVisible();
  await expect(page).toHaveURL(`${bolt.address}/members`);
  await expect(getRow(page, manager.email)).toBeVisible();

  // Two tabs show two organizations; switching keeps the tab, also with the keyboard.
  const second = await page.context().newPage();
  await second.goto(`${acme.address}/members`);
  await page.getByRole('button', { name: 'Organization: Bolt' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${acme.address}/members`);
  await expect(getRow(page, manager.email)).toHaveCount(0);
  await second.getByRole('button', { name: 'Organization: Acme' }).click();
  await second.getByRole('menuitem', { name: 'Bolt' }).click();
  await expect(getRow(second, manager.email)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Organization: Acme' })).toBeVisible();

  // It would look for the organization that is left below, and get 404.
  await second.close();
  await page.goto('/layout/profile');
  const membership = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Bolt' });
  await expect(membership).toContainText('Manager');
  await membership.getByRole('button', { name: 'Leave Bolt' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
  await expect(page.getByText('You are no longer a member of Bolt.')).toBeVisible();
  await expect(membership).toHaveCount(0);
  await page.getByRole('button', { name: 'Leave Acme' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
  await expect(page.getByText('This is the last active manager of the organization.')).toBeVisible();
});

test('a long name of an organization wraps in the navigation, and tabs fade towards hidden ones (G4)', async ({
  page,
  site,
}) => {
  const manager = await site.createMember();
  const name = 'Donaudampfschifffahrtsgesellschaft mbH';
  const { address } = await createOrganization(site, { name, manager: [manager] });
  await signIn(page, manager, `${address}/members`);
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });
  const box = (await link.boundingBox())!;
  expect(await link.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  const navigation = (await page.getByRole('navigation', { name: 'Main' }).boundingBox())!;
  expect(box.x + box.width).toBeLessThan(navigation.x + navigation.width - 10);

  const tabs = page.getByRole('navigation', { name: 'Organization' });
  await expect(tabs).toHaveCSS('--tabs-after', '0px');
  await page.setViewportSize({ width: 320, height: 640 });
  await expect(tabs).toHaveCSS('--tabs-before', '0px');
  await expect(tabs).toHaveCSS('--tabs-after', '48px');
  await tabs.getByRole('link').last().focus();
  await expect(tabs).toHaveCSS('--tabs-before', '48px');
  await expect(tabs).toHaveCSS('--tabs-after', '0px');
});
