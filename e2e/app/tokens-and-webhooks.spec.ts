/** Access tokens (K5) and webhooks (Q1) in the settings. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { getDialog } from '../lists/list-page.ts';
import { openAsAdministrator, expect, test } from '../fixtures/site-test.ts';
import { createPerson } from '../../packages/testing/src/site.ts';

test('a token is created, shown once, used by a program, listed in the log and revoked (K5)', async ({
  page,
  site,
}) => {
  await openAsAdministrator(page, site, '/layout/settings/tokens');
  await page.getByRole('button', { name: 'New token' }).click();
  const form = getDialog(page, 'New access token');
  await form.getByLabel('Purpose').fill('Monthly import');
  await form.getByLabel('Invite').check();
  await form.getByRole('button', { name: 'Create token' }).dblclick();
  const made = getDialog(page, 'Your access token');
  const token = (await made.locator('code').textContent()) ?? '';
  expect(token).toMatch(/^vst_\w{43}$/);
  await made.getByRole('button', { name: 'I have saved it' }).click();
  const listedToken = page.getByRole('listitem').filter({ hasText: 'Monthly import' });
  await expect(listedToken).toContainText('never used');

  const invite = () =>
    fetch(`${site.url}/api/invitations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: `token-${Date.now()}@example.com` }),
    });
  expect((await invite()).status).toBe(200);
  await page.reload();
  await expect(listedToken).toContainText(/last used .* from/);
  expect(await page.content()).not.toContain(token);
  await page.getByRole('navigation').getByRole('link', { name: 'Activity' }).click();
  await expect(page.getByText('(token “Monthly import”)').first()).toBeVisible();
  await page.goBack();
  await page.getByRole('button', { name: 'Revoke Monthly import' }).click();
  await getDialog(page, 'Revoke: Monthly import').getByRole('button', { name: 'Revoke token' }).click();
  await expect(page.getByText('“Monthly import” is revoked.')).toBeVisible();
  expect((await invite()).status).toBe(401);
});

test('a webhook is added, its secret shown once, its endpoint receives signed events, and an undefined event is cleared (Q1)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 400/, 'the server refuses a webhook without events');
  const received: { headers: Record<string, string>; body: string }[] = [];
  const receiver = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers as Record<string, string>, body });
      return response.writeHead(202).end('noted');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    await openAsAdministrator(page, site, '/layout/settings/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    const form = getDialog(page, 'New webhook');
    await form.getByLabel('Address').fill(`http://${host}/hook`);
    await form.getByRole('button', { name: 'Add webhook' }).click();
    await expect(form.getByText('Choose at least one event.')).toBeInViewport({ ratio: 1 });
    await form.getByLabel('Someone is invited').check();
    // The site has no organizations.
    await expect(form.getByLabel('Someone becomes a member of an organization')).toHaveCount(0);
    await form.getByRole('button', { name: 'Add webhook' }).click();
    const made = getDialog(page, 'Webhook secret');
    const secret = (await made.locator('code').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await made.getByRole('button', { name: 'I have saved it' }).click();
    await expect(page.getByRole('listitem').filter({ hasText: host })).toContainText('Someone is invited');
    expect(await page.content()).not.toContain(secret);

    const { email } = createPerson();
    await site.call(site.administrator, 'POST', '/api/invitations', { email });
    await page.getByRole('button', { name: `Deliveries to ${host}` }).click();
    const deliveries = getDialog(page, `Deliveries to ${host}`);
    await expect(deliveries.getByText('Delivered', { exact: true })).toBeVisible();
    await deliveries.getByRole('button', { name: 'Send a test event' }).click();
    await expect(deliveries.getByText('Delivered', { exact: true })).toHaveCount(2);
    const verified = received.map(({ headers, body }) => new Webhook(secret).verify(body, headers));
    expect(verified).toMatchObject([
      { type: 'invitation.created', data: { invitation: { email } } },
      { type: 'webhook.test' },
    ]);
    await deliveries.getByRole('button', { name: 'Close', exact: true }).last().click();
    // The event of a removed extension is cleared.
    await site.sql(`update webhooks set events = events || array['ticket.closed']`);
    await page.reload();
    await page.getByRole('button', { name: `More: ${host}` }).click();
    await page.getByRole('menuitem', { name: 'Change' }).click();
    const change = getDialog(page, 'Change webhook');
    await change.getByLabel('Ticket closed').uncheck();
    await change.getByRole('button', { name: 'Save' }).click();
    await expect(change).toHaveCount(0);
    expect(await site.sql('select events from webhooks')).toEqual([{ events: ['invitation.created'] }]);
    await page.getByRole('button', { name: `More: ${host}` }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await getDialog(page, `Remove: ${host}`).getByRole('button', { name: 'Remove webhook' }).click();
    await expect(page.getByRole('listitem').filter({ hasText: host })).toHaveCount(0);
  } finally {
    receiver.close().closeAllConnections();
  }
});
