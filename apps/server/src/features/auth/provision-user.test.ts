/** Races between auto-join by domain and an invitation to the same person (P4). */
import { invite } from '@vestibule/contract/invitations';
import { changeSettings } from '@vestibule/contract/settings';
import { expect, test } from 'vitest';
import { setUpOidcSite } from '../../test/test-oidc-site.ts';
import { waitForLocks } from '../../test/test-faults.ts';

const site = await setUpOidcSite();
const admin = await site.t.join('admin@example.com', 'admin');
await site.t.call(changeSettings, {
  token: admin.token,
  body: { signInDomains: ['acme.example acme open'], versions: { signInDomains: 0 } },
});

async function whileLocked(table: string, email: string, first: 'sign-in' | 'invite') {
  site.acme.setNextAccount(`subject of ${email}`, { email, email_verified: true, name: 'Ann' });
  const browser = site.browser();
  const callbackUrl = await browser.visitProvider(await browser.start({ way: 'acme' }));
  const actions = {
    'sign-in': () => browser.ask('GET', callbackUrl),
    invite: () => site.t.call(invite, { token: admin.token, body: { email } }),
  };
  const second = first === 'invite' ? 'sign-in' : 'invite';
  const { running } = await site.t.database.transaction(async (transaction) => {
    await transaction.query({ text: `lock table ${table} in share mode` });
    const firstAction = actions[first]();
    await waitForLocks(site.t, 1);
    const next = actions[second]();
    await waitForLocks(site.t, 2);
    return { running: [firstAction, next] };
  });
  await Promise.all(running);
  expect(await browser.whoAmI()).toBe(email);
  return site.t.select<{ status: string }>('select status from invitations where email = $1', [email]);
}

test('inviting a person fails while that person is being admitted by domain', async () => {
  expect(await whileLocked('people', 'during@acme.example', 'sign-in')).toEqual([]);
});

test('a person who signs in while they are being invited redeems the invitation', async () => {
  expect(await whileLocked('jobs.job', 'invited@acme.example', 'invite')).toEqual([{ status: 'redeemed' }]);
});
