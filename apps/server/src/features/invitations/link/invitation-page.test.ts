import { getInvitationLink, revokeInvitation } from '@vestibule/contract/invitations';
import { changeSettings } from '@vestibule/contract/settings';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWebDirectory, testPage } from '../../../test/test-page.ts';
import { createInvitingApp, type InvitingApp } from '../test-inviting.ts';
import { renderInvitationPage } from './invitation-page.ts';

let t: InvitingApp;
beforeEach(async () => {
  t = await createInvitingApp({ webDirectory: createWebDirectory() });
});
afterEach(() => t.close());

const open = (address: string, headers: Record<string, string> = {}) =>
  t.app.inject({ url: address, headers });
async function invited() {
  const { body } = await t.inviteTo(t.newAddress());
  const one = { token: t.admin.token, params: { invitationId: body.id } };
  const { link } = (await t.call(getInvitationLink, one)).body;
  return { one, address: link.slice(new URL(link).origin.length) };
}

test('the page of a link names the inviter and the product in the language of the browser (D12)', async () => {
  const { address } = await invited();
  await t.call(changeSettings, {
    token: t.admin.token,
    body: { productName: 'Gate & Co', versions: { productName: 0 } },
  });
  const english = await open(address);
  expect(english.body).toContain('<title>Gate &#38; Co</title>');
  expect(english.body).toContain('<h1>Gate &#38; Co</h1>');
  expect(english.body).toMatch(/data-invited>\S.* invited you to Gate &#38; Co\.</);
  expect(english.headers).toMatchObject({
    'cache-control': 'private, no-cache',
    'content-security-policy': expect.stringContaining("default-src 'none'") as string,
  });
  const german = await open(address, { 'accept-language': 'de-AT' });
  expect(german.body).toMatch(/ hat Sie zu Gate &#38; Co eingeladen\.</);
});

test('an invalid code returns exactly the standard page (D12)', async () => {
  const { one, address } = await invited();
  await t.call(revokeInvitation, one);
  const { body, headers } = await open('/');
  for (const other of [
    address,
    '/signup',
    '/signup?i=',
    '/signup?i=1111111111111111111111',
    '/signup?i=a&i=b',
  ]) {
    const answer = await open(other);
    expect([answer.body, answer.headers['cache-control']]).toEqual([body, headers['cache-control']]);
  }
});

test('after many invalid codes, a valid code returns the standard page for a minute (D12)', async () => {
  const { address } = await invited();
  for (let tried = 0; tried < 20; tried += 1) await open('/signup?i=1111111111111111111111');
  expect((await open(address)).body).not.toContain('data-invited');
  t.clock.advance(61_000);
  expect((await open(address)).body).toContain('data-invited');
});

test('names are escaped on the page, and a logo replaces the default mark (D12)', () => {
  const html = renderInvitationPage(
    testPage('…'),
    { productName: '<b>$&', logo: { path: '/api/logo?v=1', width: 1, height: 1 } },
    '"><script>',
  );
  expect(html).toContain('<h1>&#60;b&#62;$&#38;</h1>');
  expect(html).toContain('&#34;&#62;&#60;script&#62;');
  expect(html).toContain('<img class="login-logo" src="/api/logo?v=1" alt="">');
  expect(html).not.toContain('<svg');
});
