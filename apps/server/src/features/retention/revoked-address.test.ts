import { invite, revokeInvitation } from '@vestibule/contract/invitations';
import { erasePerson } from '@vestibule/contract/people/removed';
import { changeSettings } from '@vestibule/contract/settings';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { testSecret, type TestPerson } from '../../test/test-app.ts';
import { createTestOidcSite, homePath, type TestOidcSite } from '../../test/sign-in/test-oidc-site.ts';
import { postAs } from '../../test/sign-in/test-passkey-site.ts';
import { signInCodeMailName } from '../auth/email-codes/email-codes.ts';
import { purgeExpired } from './retention.ts';

const day = 24 * 3600_000;
let site: TestOidcSite;
let admin: TestPerson;
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'vestibule-stays-out-'));
  site = await createTestOidcSite({
    environment: { SIGN_IN_WITH: 'oidc,passkeys,b2c', ARCHIVE_DIR: directory },
  });
  admin = await site.t.join('admin@example.com', 'admin');
  const signInDomains = ['acme.example acme open', 'open.example passkeys open'];
  await site.t.callAs(admin, changeSettings, { body: { signInDomains, versions: { signInDomains: 0 } } });
});
afterEach(async () => {
  await site.close();
  await rm(directory, { recursive: true });
});

const revoke = async (email: string) => {
  const { id } = await site.t.invitationTo(email);
  const revoked = await site.t.callAs(admin, revokeInvitation, { params: { invitationId: id } });
  expect(revoked.status).toBe(200);
};

/** Purges all expired data, a year later. */
const purge = () =>
  purgeExpired({
    database: site.t.database,
    secret: testSecret,
    directory,
    now: () => site.t.clock.now() + 400 * day,
    retentionPeriods: () =>
      Promise.resolve({ keepInvitationsDays: 30, keepSignInsDays: 0, keepActivityDays: 0 }),
  });

const invitationsOf = (email: string) =>
  site.t.select<{
    status: string;
  }>`select status from invitations where email = ${email} order by created_at`;

async function signIn(email: string): Promise<string> {
  site.acme.setNextAccount(`subject of ${email}`, { email, email_verified: true, name: 'Ann' });
  const browser = site.browser();
  return site.resultOf(browser, await browser.signIn({ way: 'acme' }));
}
async function isMailedCode(address: string): Promise<boolean> {
  const { body } = await postAs(site.browser(), requestCode, { address });
  return Boolean(await site.t.mailTemplates[signInCodeMailName]?.write(body.attempt));
}

describe('an address with a revoked invitation', () => {
  test('cannot use domain auto-join or request a code after the purge', async () => {
    await revoke('ann@acme.example');
    await revoke('ann@open.example');
    await purge();
    expect(await signIn('ann@acme.example')).toBe('person.invitation_revoked');
    expect(await isMailedCode('ann@open.example')).toBe(false);
    expect(await signIn('bob@acme.example')).toBe(homePath);
    expect(await isMailedCode('bob@open.example')).toBe(true);
  });

  test('can join by a new invitation; the revoked invitation is purged after that', async () => {
    await revoke('ann@acme.example');
    await site.t.callAs(admin, invite, { body: { email: 'ann@acme.example', name: '', role: 'member' } });
    expect(await signIn('ann@acme.example')).toBe(homePath);
    expect(await invitationsOf('ann@acme.example')).toEqual([{ status: 'revoked' }, { status: 'redeemed' }]);
    await purge();
    expect(await invitationsOf('ann@acme.example')).toEqual([]);
  });

  test('can use domain auto-join after its erasure, which leaves no data', async () => {
    await revoke('ann@acme.example');
    await purge();
    const erased = await site.t.callAs(admin, erasePerson, { body: { email: 'ann@acme.example' } });
    expect(erased.status).toBe(200);
    await purge();
    expect(await site.t.select('select email from invitations')).toEqual([]);
    expect(await signIn('ann@acme.example')).toBe(homePath);
  });
});
