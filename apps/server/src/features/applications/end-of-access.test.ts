import { changeApplication, deleteApplication } from '@vestibule/contract/applications';
import { listMyApplications } from '@vestibule/contract/applications/open';
import { changeOrganization, removeMember } from '@vestibule/contract/organizations';
import { disablePerson, removePerson } from '@vestibule/contract/people';
import { endOtherSessions } from '@vestibule/contract/sign-in/sessions';
import { describe, expect, test } from 'vitest';
import { closeAfterTests } from '../../test/test-close.ts';
import { askProxy, createApplicationSite } from './test-applications.ts';

const site = closeAfterTests(await createApplicationSite());
const { t, admin, a, b, register, signedIn } = site;

let counter = 0;
const join = () => t.join(`user${(counter += 1)}@example.com`);

describe('access ends at the next request', () => {
  test('after the user has signed out', async () => {
    const { address } = await register();
    const opened = await signedIn(a.manager, address);
    const cookie = opened.cookieOf('portal.example.com');
    await t.app.inject({
      method: 'POST',
      url: '/api/sign-out',
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
    });
    expect((await opened.get(address, { 'x-forwarded-method': 'POST' })).statusCode).toBe(401);
    expect((await opened.get(address)).statusCode).toBe(302);
  });

  test('after the session was ended in another browser', async () => {
    const { address } = await register();
    const person = await join();
    const opened = await signedIn(person, address);
    await t.callAs(person, endOtherSessions);
    expect((await opened.get(address)).statusCode).toBe(302);
  });

  test('after the person was disabled or removed', async () => {
    const { address } = await register();
    const [disabled, removed] = [await join(), await join()];
    const [first, second] = [await signedIn(disabled, address), await signedIn(removed, address)];
    await t.callAs(admin, disablePerson, { params: { personId: disabled.id } });
    await t.callAs(admin, removePerson, { params: { personId: removed.id } });
    const page = await first.get(address);
    expect([page.statusCode, page.payload.includes('Your access is disabled')]).toEqual([403, true]);
    expect(
      (await first.get(address, { 'x-forwarded-method': 'POST' })).headers['remote-user'],
    ).toBeUndefined();
    expect((await second.get(address)).statusCode).toBe(302);
    expect((await second.open(address, /\/layout\//)).response).toBeNull();
  });

  test('after the organization has made its provider the only way to sign in', async () => {
    const { address } = await register([{ kind: 'organization', organizationId: b.id, roleId: null }]);
    const open = await register();
    const opened = await signedIn(b.member, address);
    await opened.open(open.address);
    expect((await opened.get(open.address)).headers['remote-groups']).toContain('organization:bolt');
    const setRequired = (isRequired: boolean, way: string) =>
      t.select(
        `insert into organization_connections (organization_id, way, issuer, client_id, client_secret_sealed, is_active, is_required,
           recovery_code_hash, created_at) values ($1, $2, '', '', '', true, $3, case when $3 then ''::bytea end, now())
         on conflict (organization_id) do update set way = $2, is_required = $3, recovery_code_hash = excluded.recovery_code_hash`,
        [b.id, way, isRequired],
      );
    await setRequired(true, 'org-bolt');
    expect((await opened.get(address)).statusCode).toBe(403);
    const response = await opened.get(open.address);
    expect(response.statusCode).toBe(200);
    expect(response.headers['remote-groups']).not.toContain('organization:bolt');
    // `acme` is the sign-in method of the session.
    await setRequired(true, 'acme');
    expect((await opened.get(address)).statusCode).toBe(200);
    await setRequired(false, 'org-bolt');
    expect((await opened.get(address)).statusCode).toBe(200);
  });

  test('after the access list, the membership or the organization has changed', async () => {
    const { address, id } = await register([{ kind: 'organization', organizationId: a.id, roleId: null }]);
    const opened = await signedIn(a.member, address);
    const status = async () => (await opened.get(address)).statusCode;
    const change = (status_: 'active' | 'suspended') =>
      t.callAs(admin, changeOrganization, { params: { organizationId: a.id }, body: { status: status_ } });
    expect(await status()).toBe(200);
    await change('suspended');
    expect(await status()).toBe(403);
    await change('active');
    expect(await status()).toBe(200);
    await t.callAs(admin, removeMember, { params: { organizationId: a.id, personId: a.member.id } });
    expect(await status()).toBe(403);
    expect((await t.callAs(a.member, listMyApplications)).body.rows.map((row) => row.id)).not.toContain(id);
  });

  test('after the application was removed, or its address has changed', async () => {
    const [one, two] = [await register(), await register()];
    const opened = await signedIn(a.manager, one.address);
    await opened.open(two.address);
    await t.callAs(admin, deleteApplication, { params: { applicationId: one.id } });
    expect((await opened.get(one.address)).statusCode).toBe(403);
    const moved = 'https://moved.example.com';
    const params = { applicationId: two.id };
    await t.callAs(admin, changeApplication, { params, body: { address: moved } });
    expect((await opened.get(two.address)).statusCode).toBe(403);
    const cookie = opened.cookieOf(new URL(two.address).host);
    expect((await askProxy(t, moved, { cookie })).statusCode).toBe(401);
  });
});

// Last, because access tokens of other tests expire.
test('access ends when the session expires; requests extend it', async () => {
  const { address } = await register();
  const opened = await signedIn(a.manager, address);
  const settings = await t.settings.current();
  // Requests of the application extend the session.
  for (let hours = 1; hours < settings.sessionIdleHours * 2; hours += settings.sessionIdleHours - 1) {
    t.clock.advance((settings.sessionIdleHours - 1) * 3_600_000);
    expect((await opened.get(address)).statusCode).toBe(200);
  }
  t.clock.advance(settings.sessionIdleHours * 3_600_000);
  expect((await opened.get(address)).statusCode).toBe(302);
});
