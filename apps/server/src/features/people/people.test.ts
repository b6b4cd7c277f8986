import { getMe } from '@vestibule/contract/profile/me';
import {
  changeRole,
  disablePerson,
  enablePerson,
  getPerson,
  listPeople,
  removePerson,
} from '@vestibule/contract/people';
import type { RouteDefinition } from '@vestibule/contract/route';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestApp, type TestPerson } from '../../test/test-app.ts';
import { withRefusedWrites } from '../../test/database/test-faults.ts';
import { personMails } from './person-mail.ts';
import { actionsSince, newestEntry, unknownId } from './test-people.ts';
import { closeAfterTests } from '../../test/test-close.ts';

let admin: TestPerson;
let before: number;
const t = closeAfterTests(await createTestApp());
beforeEach(async () => {
  admin = await t.join('admin@example.com', 'admin');
  before = await newestEntry(t);
});
afterEach(() => t.select('delete from people'));

const asAdmin = (personId: string) => ({ token: admin.token, params: { personId } });
const auditActions = () => actionsSince(t, before);

describe('an administrator', () => {
  test('changes the role of a person to administrator and back', async () => {
    const ann = await t.join('ann@example.com');
    expect((await t.call(changeRole, { ...asAdmin(ann.id), body: { role: 'admin' } })).body).toMatchObject({
      id: ann.id,
      role: 'admin',
    });
    expect((await t.callAs(ann, getMe)).body.IsAdmin).toBe(true);
    await t.call(changeRole, { ...asAdmin(ann.id), body: { role: 'member' } });
    expect((await t.callAs(ann, getMe)).body.IsAdmin).toBe(false);
  });

  test('disables, enables and removes a person', async () => {
    const ann = await t.join('ann@example.com');
    expect((await t.call(disablePerson, asAdmin(ann.id))).body.status).toBe('disabled');
    expect((await t.call(enablePerson, asAdmin(ann.id))).body.status).toBe('active');
    expect((await t.call(removePerson, asAdmin(ann.id))).body).toEqual({ id: ann.id, email: ann.email });
    expect(await t.select`select from people where id = ${ann.id}`).toEqual([]);
    expect(await auditActions()).toEqual(['person.disabled', 'person.enabled', 'person.removed']);
  });

  const perPerson: [string, RouteDefinition, object][] = [
    ['changing a role', changeRole, { body: { role: 'admin' } }],
    ['disabling', disablePerson, {}],
    ['enabling', enablePerson, {}],
    ['removing', removePerson, {}],
  ];
  test.each(perPerson)(
    '%s returns 404 for an unknown person and 400 for an invalid id',
    async (_what, route, options) => {
      expect(await t.call(route as typeof enablePerson, { ...asAdmin(unknownId), ...options })).toMatchObject(
        {
          status: 404,
          body: { code: 'person.not_found' },
        },
      );
      expect(
        await t.call(route as typeof enablePerson, { ...asAdmin('1 or 1=1'), ...options }),
      ).toMatchObject({
        status: 400,
        body: { code: 'request.invalid', fields: { personId: expect.any(String) } },
      });
    },
  );
});

describe('the last active administrator', () => {
  const losses: [string, RouteDefinition, object][] = [
    ['demoted', changeRole, { body: { role: 'member' } }],
    ['disabled', disablePerson, {}],
    ['removed', removePerson, {}],
  ];
  test.each(losses)('cannot be %s', async (_what, route, options) => {
    await t.join('member@example.com');
    const second = await t.join('second@example.com', 'admin');
    await t.call(disablePerson, asAdmin(second.id));
    expect(await t.call(route as typeof enablePerson, { ...asAdmin(admin.id), ...options })).toMatchObject({
      status: 409,
      body: { code: 'person.last_administrator' },
    });
    expect((await t.callAs(admin, getMe)).body.IsAdmin).toBe(true);
    expect(await auditActions()).toEqual(['person.disabled']);
  });

  test('remains after 64 concurrent mutual demotions of two administrators', async () => {
    const second = await t.join('second@example.com', 'admin');
    const both = [admin, second];
    await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        t.call(changeRole, {
          token: both[index % 2]?.token as string,
          params: { personId: both[(index + 1) % 2]?.id as string },
          body: { role: 'member' },
        }),
      ),
    );
    expect(await t.select("select from people where role = 'admin'")).toHaveLength(1);
  });
});

describe('two administrators acting on the same person', () => {
  test('the second request fails and reports the change of the first one', async () => {
    const second = await t.join('second@example.com', 'admin');
    const ann = await t.join('ann@example.com');
    const version = (await t.call(getPerson, asAdmin(ann.id))).body.version;
    const query = { version: version };
    await t.call(disablePerson, { ...asAdmin(ann.id), token: second.token, query });
    const response = await t.call(changeRole, { ...asAdmin(ann.id), query, body: { role: 'admin' } });
    expect(response).toMatchObject({ status: 409, body: { code: 'person.changed' } });
    expect(response.body.message).toBe(
      'second@example.com has changed ann@example.com in the meantime (role: member, status: disabled). Review the change, then try again.',
    );
    expect((await t.call(removePerson, { ...asAdmin(ann.id), query })).status).toBe(409);
    const now = (await t.call(getPerson, asAdmin(ann.id))).body;
    expect(now).toMatchObject({ role: 'member', status: 'disabled' });
    const enabled = await t.call(enablePerson, { ...asAdmin(ann.id), query: { version: now.version } });
    expect(enabled.body.status).toBe('active');
  });

  test('a change to the current state succeeds without another audit entry', async () => {
    const ann = await t.join('ann@example.com');
    await t.call(disablePerson, asAdmin(ann.id));
    expect((await t.call(disablePerson, asAdmin(ann.id))).status).toBe(200);
    expect(await auditActions()).toEqual(['person.disabled']);
  });
});

describe('mails to the changed person', () => {
  const queued = async () =>
    (
      await t.select<{ data: { template: string; subjectId: string } }>(
        "select data from jobs.job_common where data->>'template' like 'person-%' order by created_on",
      )
    ).map(({ data }) => data);
  beforeEach(() => t.select('delete from jobs.job_common'));

  test('a changed role and disabling queue one mail each, in the transaction of the change (N)', async () => {
    const ann = await t.join('ann@example.com');
    await t.call(changeRole, { ...asAdmin(ann.id), body: { role: 'admin' } });
    await t.call(changeRole, { ...asAdmin(ann.id), body: { role: 'admin' } });
    await t.call(disablePerson, asAdmin(ann.id));
    await t.call(enablePerson, asAdmin(ann.id));
    expect(await queued()).toEqual([
      { template: 'person-role-changed', subjectId: ann.id },
      { template: 'person-disabled', subjectId: ann.id },
    ]);
  });

  test('the mail about disabling is delayed, and enabling the person cancels it (K3)', async () => {
    const ann = await t.join('ann@example.com');
    await t.call(disablePerson, asAdmin(ann.id));
    const delays = await t.select(
      "select start_after - now() > interval '15 seconds' as still from jobs.job_common",
    );
    expect(delays).toEqual([{ still: true }]);
    const mails = personMails({ database: t.database, settings: t.settings, publicUrl: t.config.publicUrl });
    expect(await mails['person-disabled']?.write(ann.id)).toMatchObject({ to: { address: ann.email } });
    await t.call(enablePerson, asAdmin(ann.id));
    expect(await mails['person-disabled']?.write(ann.id)).toBeNull();
  });

  test('mails use the language of the invitation and the state at the time of sending', async () => {
    const { id } = await t.invitationTo('ann@example.com');
    await t.select`update invitations set language = 'de' where id = ${id}`;
    const token = await t.mint({ sub: 'ann', emails: ['ann@example.com'], invitationId: id, name: 'Ann' });
    const ann = (await t.call(getMe, { token })).body.Id;
    const mails = personMails({ database: t.database, settings: t.settings, publicUrl: t.config.publicUrl });
    await t.call(changeRole, { ...asAdmin(ann), body: { role: 'admin' } });
    const written = await mails['person-role-changed']?.write(ann);
    expect(written).toMatchObject({ to: { name: 'Ann', address: 'ann@example.com' } });
    expect(written?.text).toContain('Sie sind jetzt Administrator');
    expect(await mails['person-disabled']?.write(ann)).toBeNull();
    await t.call(removePerson, asAdmin(ann));
    expect(await mails['person-role-changed']?.write(ann)).toBeNull();
  });
});

describe('request bodies', () => {
  test.each([
    ['an unknown field', '{"role":"member","status":"active"}'],
    ['an unknown role', '{"role":"owner"}'],
    ['an array of roles', '{"role":["admin"]}'],
    ['no role', '{}'],
    ['__proto__', '{"role":"member","__proto__":{"isAdmin":true}}'],
    ['__proto__ alone', '{"__proto__":{"role":"admin"}}'],
    ['constructor.prototype', '{"role":"member","constructor":{"prototype":{"isAdmin":true}}}'],
  ])('%s in a role change returns 400', async (_what, payload) => {
    const ann = await t.join('ann@example.com');
    const response = await t.app.inject({
      method: 'POST',
      url: `/api/people/${ann.id}/role`,
      headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
      payload,
    });
    expect(response.statusCode).toBe(400);
    expect((await t.callAs(ann, getMe)).body.IsAdmin).toBe(false);
    expect(await auditActions()).toEqual([]);
  });

  test('a caller cannot change their own role by PATCH, PUT, POST or DELETE of /api/users/me', async () => {
    for (const method of ['PATCH', 'PUT', 'POST', 'DELETE'] as const) {
      const response = await t.app.inject({
        method,
        url: '/api/users/me',
        headers: { authorization: `Bearer ${admin.token}` },
        payload: { role: 'admin', IsAdmin: true },
      });
      expect(response.statusCode).toBe(404);
    }
  });
});

describe('a change that cannot be recorded in the audit log fails', () => {
  test.each([
    ['changing a role', changeRole, { body: { role: 'admin' } }],
    ['disabling', disablePerson, {}],
    ['removing', removePerson, {}],
  ] as [string, RouteDefinition, object][])('%s fails', async (_what, route, options) => {
    const ann = await t.join('ann@example.com');
    const row = await t.select`select * from people where id = ${ann.id}`;
    const response = await withRefusedWrites(t, 'audit_log', () =>
      t.call(route as typeof enablePerson, { ...asAdmin(ann.id), ...options }),
    );
    expect(response).toMatchObject({ status: 500, body: { code: 'server.unexpected' } });
    expect(await t.select`select * from people where id = ${ann.id}`).toEqual(row);
  });

  test('redeeming an invitation fails', async () => {
    const { id } = await t.invitationTo('bob@example.com');
    const token = await t.mint({ sub: 'bob', emails: ['bob@example.com'], invitationId: id });
    const response = await withRefusedWrites(t, 'audit_log', () => t.call(getMe, { token }));
    expect(response.status).toBe(500);
    expect(await t.select("select from people where email = 'bob@example.com'")).toEqual([]);
    expect(await t.select`select status from invitations where id = ${id}`).toEqual([{ status: 'pending' }]);
  });
});

describe('the list of people', () => {
  /** Returns `length` numbers below `below` that compress poorly. */
  const mixed = (length: number, below: number) =>
    Array.from({ length }, (_, n) => ((n ** 3 * 7_919) % 10_007) % below);
  test.each([
    [
      'name',
      mixed(242, 36)
        .map((n) => n.toString(36))
        .join(''),
      'example.com',
      mixed(100, 9_973),
    ],
    ['address, used as the name', 'a', Array(4).fill('\u30ab'.repeat(54)).join('.'), []],
  ])('supports the longest %s', async (_what, local, domain, letters) => {
    const email = `${local}@${domain}`;
    const { id: invitationId } = await t.invitationTo(email);
    const name = String.fromCodePoint(...letters.map((n) => 0xac00 + n));
    const token = await t.mint({ sub: email, emails: [email], invitationId, name });
    expect((await t.call(getMe, { token })).body.DisplayName).toBe(name || email);
    for (const sort of ['displayName', 'email'] as const) {
      const query = { sort, search: email.slice(0, 200) };
      expect((await t.callAs(admin, listPeople, { query })).body.total).toBe(1);
    }
  });

  test.each([
    ['limit=0'],
    ['limit=501'],
    ['limit=ten'],
    ['limit=1&limit=2'],
    ['offset=-1'],
    ['offset=1.5'],
    ['offset=99999999999999999999'],
    ['sort=subject'],
    ['sort=email;drop table people'],
    ['direction=sideways'],
    [`search=${'x'.repeat(201)}`],
    ['search=%00'],
    ['search=a%0ab'],
  ])('returns 400 for the query %s', async (query) => {
    const response = await t.app.inject({
      url: `/api/people?${query}`,
      headers: { authorization: `Bearer ${admin.token}` },
    });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: 'request.invalid', fields: {} });
  });
});
