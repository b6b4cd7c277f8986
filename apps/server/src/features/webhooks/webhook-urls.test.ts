import { createWebhook } from '@vestibule/contract/webhooks';
import { createOrganizationWebhook } from '@vestibule/contract/organizations/webhooks';
import { expect, test } from 'vitest';
import { createTestApp } from '../../test/test-app.ts';
import { closeAfterTests } from '../../test/test-close.ts';
import { createOrganizationSite } from '../organizations/test-organizations.ts';

let token: string;
const lookup = () => Promise.resolve([{ address: '10.1.2.3', family: 4 }]);
const t = closeAfterTests(await createTestApp({ lookup }));
({ token } = await t.join('admin@example.com', 'admin'));

test.each([
  ['not an address', 'request.invalid'],
  ['ftp://example.com/', 'request.invalid'],
  ['https://name:password@example.com/', 'request.invalid'],
  [`https://example.com/${'x'.repeat(1_000)}`, 'request.invalid'],
  ['http://example.com/', 'webhook.not_encrypted'],
  ['https://127.0.0.1/', 'webhook.private_address'],
  ['https://2130706433/', 'webhook.private_address'],
  ['https://[::ffff:169.254.169.254]/', 'webhook.private_address'],
  ['https://inside.example/', 'webhook.private_address'],
])('a webhook for %s is rejected with %s (security 69)', async (url, code) => {
  const body = { url, description: '', events: ['person.joined' as const] };
  expect(await t.call(createWebhook, { token, body })).toMatchObject({
    status: 400,
    body: { code, fields: { url: expect.any(String) } },
  });
  expect(await t.select('select from webhooks')).toEqual([]);
});

test('a webhook of an organization needs a public address, also if those of the site do not', async () => {
  const {
    t: site,
    a,
    admin,
  } = await createOrganizationSite({
    environment: { WEBHOOKS_TO_PRIVATE_ADDRESSES: 'yes' },
  });
  const add = async (url: string) => {
    const body = { url, description: '', events: ['member.added' as const] };
    const inA = { token: await site.recentTokenOf(a.manager), params: { organizationId: a.id } };
    const ofOrganization = await site.call(createOrganizationWebhook, { ...inA, body });
    const ofSite = await site.callAs(admin, createWebhook, { body });
    return [(ofOrganization.body as { code?: string }).code, ofSite.status];
  };
  expect(await add('https://127.0.0.1/')).toEqual(['webhook.private_address', 200]);
  expect(await add('http://example.com/')).toEqual(['webhook.not_encrypted', 200]);
  await site.close();
});
