/** Access tokens, webhooks and directory sync of one organization (R9). */
import { createOrganization, test } from '../fixtures/organizations-test.ts';
import { expect, signIn, type Page } from '../fixtures/site-test.ts';
import { getDialog } from '../lists/list-page.ts';

const cardOf = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title, exact: true }) });

/** Returns the secret of the dialog, which is shown once. */
async function takeSecret(page: Page, title: string): Promise<string> {
  const dialog = getDialog(page, title);
  const secret = (await dialog.locator('code').textContent()) ?? '';
  await dialog.getByRole('button', { name: 'I have saved it' }).click();
  await expect(dialog).toHaveCount(0);
  expect(await page.content()).not.toContain(secret);
  return secret;
}

test('a manager connects a directory, a program and a webhook to the organization, which says so when it is suspended (R5, R9)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 400/, 'the server refuses a token without permissions');
  const manager = await site.createMember({ name: 'Mara Manager' });
  const { id, address } = await createOrganization(site, { manager: [manager] });
  await signIn(page, manager, `${address}/integrations`);
  const request = async (path: string, token: string, body?: object) => {
    const response = await fetch(`${site.url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  const directory = cardOf(page, 'Directory sync (SCIM)');
  await directory.getByRole('button', { name: 'Create a token' }).click();
  const scimToken = await takeSecret(page, 'Directory token');
  const userName = `scim-${Date.now()}@example.com`;
  expect((await request('/scim/v2/Users', scimToken, { userName })).status).toBe(201);
  await site.mailTo(userName, /Acme/);
  await page.reload();
  await expect(directory).toContainText(/Last request.*from/s);
  await directory.getByRole('button', { name: 'Revoke token' }).click();
  await getDialog(page, 'Revoke the token of the directory')
    .getByRole('button', { name: 'Revoke token' })
    .click();
  await expect(directory.getByText('None yet')).toBeVisible();
  expect((await request('/scim/v2/Users', scimToken)).status).toBe(401);

  const tokens = cardOf(page, 'Access tokens');
  await tokens.getByRole('button', { name: 'New token' }).click();
  const newToken = getDialog(page, 'New access token');
  await newToken.getByLabel('Purpose').fill('Nightly report');
  await newToken.getByRole('button', { name: 'Create token' }).click();
  await expect(newToken.getByText('Choose at least one permission.')).toBeVisible();
  await newToken.getByLabel('See all members').check();
  await newToken.getByRole('button', { name: 'Create token' }).click();
  const accessToken = await takeSecret(page, 'Your access token');
  await expect(tokens.getByRole('listitem')).toContainText('See all members');
  expect((await request('/api/users/me', accessToken)).body['Organization']).toEqual({
    Id: id,
    Name: 'Acme',
    Permissions: ['members.read'],
  });
  await tokens.getByRole('button', { name: 'Revoke Nightly report' }).click();
  await getDialog(page, 'Revoke: Nightly report').getByRole('button', { name: 'Revoke token' }).click();
  await expect(page.getByText('“Nightly report” is revoked.')).toBeVisible();
  expect((await request('/api/users/me', accessToken)).status).toBe(401);

  // By keyboard only.
  const webhooks = cardOf(page, 'Webhooks');
  await webhooks.getByRole('button', { name: 'New webhook' }).focus();
  await page.keyboard.press('Enter');
  const newWebhook = getDialog(page, 'New webhook');
  await expect(newWebhook.getByLabel('A file is added')).toHaveCount(0);
  await newWebhook.getByLabel('Address').fill('http://127.0.0.1:9/hook');
  await newWebhook.getByLabel('Someone becomes a member of an organization').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await takeSecret(page, 'Webhook secret');
  const listed = webhooks.getByRole('listitem');
  await expect(listed).toContainText('Someone becomes a member of an organization');
  await webhooks.getByRole('button', { name: 'Deliveries to 127.0.0.1:9' }).click();
  const deliveries = getDialog(page, 'Deliveries to 127.0.0.1:9');
  await deliveries.getByRole('button', { name: 'Send a test event' }).click();
  await expect(deliveries.getByRole('listitem')).toContainText('Test event');
  await page.keyboard.press('Escape');
  await webhooks.getByRole('button', { name: 'More: 127.0.0.1:9' }).click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  await getDialog(page, 'Change webhook').getByLabel('Description').fill('Tickets');
  await getDialog(page, 'Change webhook').getByRole('button', { name: 'Save' }).click();
  await expect(listed).toContainText('Tickets');

  // Those of the site are separate.
  expect(await site.callAsAdmin('GET', '/api/webhooks')).toMatchObject({ rows: [] });

  await site.sql("update organizations set status = 'suspended' where id = $1", [id]);
  await page.reload();
  await expect(page.getByText('This organization is suspended')).toBeVisible();
});
