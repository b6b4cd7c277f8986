import {
  addDomain,
  changeDomain,
  listDomains,
  removeDomain,
  verifyDomain,
} from '@vestibule/contract/organizations/domains';
import { createRole, deleteRole } from '@vestibule/contract/organizations';
import { listMyOrganizations } from '@vestibule/contract/organizations/mine';
import { listOrganizationActivity } from '@vestibule/contract/activity';
import { revokeOrganizationInvitation } from '@vestibule/contract/invitations/in-organization';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestApp, TestPerson } from '../../test/test-app.ts';
import { checkDomains } from './check-domains.ts';
import {
  createInvitingHelpers,
  createOrganizationSite,
  type OrganizationSite,
} from './test-organizations.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** TXT records by name; null is a failed lookup. */
let records: Map<string, string[] | null>;
let t: TestApp;
let admin: TestPerson;
let a: OrganizationSite['a'];
let b: OrganizationSite['b'];
beforeEach(async () => {
  records = new Map();
  const findTxtRecords = (name: string) =>
    Promise.resolve(records.get(name) ?? (records.has(name) ? null : []));
  const environment = { SIGN_IN_WITH: 'passkeys,b2c' };
  ({ t, admin, a, b } = await createOrganizationSite({ findTxtRecords, environment }));
});
afterEach(() => t.close());

const { inviteTo, one } = createInvitingHelpers(() => t);
type Organization = OrganizationSite['a'];
const by = ({ id, manager }: Organization) => ({ token: manager.token, params: { organizationId: id } });
const at = ({ id, manager }: Organization, domain: string) => ({
  token: manager.token,
  params: { organizationId: id, domain },
});
const add = (organization: Organization, domain: string) =>
  t.call(addDomain, { ...by(organization), body: { domain } });
const verify = (organization: Organization, domain = 'acme.example') =>
  t.call(verifyDomain, at(organization, domain));
const stateOf = async (organization: Organization, domain = 'acme.example') =>
  (await t.call(listDomains, by(organization))).body.rows.find((row) => row.domain === domain)?.state;
const enrol = (organization: Organization, roleId = 'member', domain = 'acme.example') =>
  t.call(changeDomain, { ...at(organization, domain), body: { enrolment: 'automatic', roleId } });

/** Adds a domain, publishes its record, and verifies it. */
async function prove(organization: Organization, domain = 'acme.example') {
  const { body } = await add(organization, domain);
  records.set(body.recordName, [body.recordValue]);
  expect((await verify(organization, domain)).body.state).toBe('verified');
  return body;
}

const organizationsOf = async (token: string) =>
  (await t.call(listMyOrganizations, { token })).body.rows.map(({ slug, roleId }) => [slug, roleId]);

describe('a domain (R7)', () => {
  test('can be entered as an address of mails or pages, and in any script', async () => {
    for (const [typed, domain] of [
      ['Example.COM', 'example.com'],
      [' https://www.example.com/about ', 'www.example.com'],
      ['@example.com', 'example.com'],
      ['ann@example.com', 'example.com'],
      ['example.com.', 'example.com'],
      ['müller.example', 'xn--mller-kva.example'],
      ['bk.com', 'bk.com'],
    ] as const) {
      const { body } = await add(a, typed);
      expect(body).toMatchObject({
        domain,
        state: 'pending',
        recordName: `_vestibule.${domain}`,
        enrolment: 'invitation',
      });
      expect(body.recordValue).toMatch(/^vestibule-verification=[0-9a-f]{32}$/);
      expect((await t.call(removeDomain, at(a, domain))).status).toBe(200);
    }
  });

  test('cannot be an address, a single label, too long, or of a provider of mailboxes', async () => {
    const long = `${'a'.repeat(63)}.`.repeat(4);
    for (const typed of ['', 'localhost', '192.0.2.1', 'exa mple.com', 'gmail.com', 'BK.ru', 'gmx.de', long])
      expect([typed, Object.keys((await add(a, typed)).body.fields ?? {})]).toEqual([typed, ['domain']]);
  });

  test('is proven by one of several records of its name', async () => {
    const { body } = await add(a, 'acme.example');
    const missing = await verify(a);
    expect(missing.body).toMatchObject({ state: 'pending', found: [] });
    records.set(body.recordName, ['v=spf1 -all', 'something else']);
    expect((await verify(a)).body).toMatchObject({
      state: 'pending',
      found: ['v=spf1 -all', 'something else'],
    });
    records.set(body.recordName, ['v=spf1 -all', body.recordValue]);
    expect((await verify(a)).body.state).toBe('verified');
    expect((await add(a, 'acme.example')).body.code).toBe('domain.exists');
    const log = await t.call(listOrganizationActivity, { ...by(a), query: { sort: 'at', direction: 'asc' } });
    expect(log.body.rows.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['domain.added', 'domain.verified']),
    );
  });

  test('says that the lookup failed, and keeps its state', async () => {
    const { recordName } = await prove(a);
    records.set(recordName, null);
    expect((await verify(a)).body.code).toBe('domain.lookup_failed');
    expect(await stateOf(a)).toBe('verified');
  });

  test('belongs to one organization, also if two prove it at once; without the own record the other one is not revealed', async () => {
    const [mine, theirs] = [(await add(a, 'acme.example')).body, (await add(b, 'acme.example')).body];
    records.set(mine.recordName, [mine.recordValue]);
    expect((await verify(a)).body.state).toBe('verified');
    expect((await verify(b)).body).toMatchObject({ state: 'pending' });
    records.set(mine.recordName, [mine.recordValue, theirs.recordValue]);
    expect((await verify(b)).body.code).toBe('domain.taken');
    await t.call(removeDomain, at(a, 'acme.example'));
    await add(a, 'acme.example');
    const again = (await t.call(listDomains, by(a))).body.rows[0];
    records.set(mine.recordName, [again?.recordValue ?? '', theirs.recordValue]);
    const both = await Promise.all([verify(a), verify(b)]);
    expect(both.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
  });
});

describe('the daily check', () => {
  const check = () =>
    checkDomains({
      database: t.database,
      findTxtRecords: (name) => Promise.resolve(records.get(name) ?? (records.has(name) ? null : [])),
      mail: t.mail,
      now: t.clock.now,
    });
  const stored = async () =>
    (await t.select<{ state: string }>('select state from organization_domains'))[0]?.state;

  test('reports a missing record first, and ends the proof after a week', async () => {
    const { recordName, recordValue } = await prove(a);
    expect(await check()).toBe(0);
    t.clock.advance(day);
    records.set(recordName, null);
    await check();
    expect(await stored()).toBe('verified');
    t.clock.advance(hour);
    records.set(recordName, []);
    await check();
    expect(await stored()).toBe('failing');
    t.clock.advance(day);
    records.set(recordName, [recordValue]);
    await check();
    expect(await stored()).toBe('verified');
    records.delete(recordName);
    for (let days = 0; days < 8; days += 1) {
      t.clock.advance(day);
      await check();
    }
    expect(await stored()).toBe('pending');
    const actions = await t.select(
      "select from audit_log where action in ('domain.failing', 'domain.expired')",
    );
    expect(actions).toHaveLength(3);
    // The managers get a mail of each, with the state at the time of sending.
    const jobs = await t.select<{ subject: string }>(
      `select data ->> 'subjectId' as subject from jobs.job where data ->> 'template' = 'domain-record-missing'`,
    );
    expect(jobs.map(({ subject }) => subject)).toEqual(
      Array.from({ length: 3 }, () => `${a.id} acme.example ${a.manager.id}`),
    );
    const write = () => t.mailTemplates['domain-record-missing']?.write(jobs[0]?.subject as string);
    const mail = await write();
    expect(mail?.to.address).toBe(a.manager.email);
    expect(mail?.subject).toContain('acme.example is no longer verified');
    expect(mail?.text).toContain('https://portal.example.com/layout/organization/acme/domains');
    await t.select("update invitations set language = 'de'");
    expect((await write())?.subject).toContain('nicht mehr bestätigt');
    await t.select("update organization_domains set state = 'verified'");
    expect(await write()).toBeNull();
  });

  test('checks more domains than one batch contains', async () => {
    await t.select(
      `insert into organization_domains (organization_id, domain, state, token, created_at, check_due_at)
       select $1, 'd' || number || '.example', 'verified', gen_random_uuid(), $2, $2 from generate_series(1, 120) as number`,
      [a.id, new Date(t.clock.now())],
    );
    expect(await check()).toBe(120);
    expect(await check()).toBe(0);
    expect(await stored()).toBe('failing');
  });
});

describe('automatic enrolment', () => {
  test('makes a new person with a verified address a member, with the role', async () => {
    await prove(a);
    expect((await t.signIn('new@acme.example')).code).toBe('person.not_invited');
    await enrol(a);
    const joined = await t.signIn('new@acme.example');
    expect(await organizationsOf(joined.token)).toEqual([['acme', 'member']]);
    expect((await t.signIn('new@bolt.example')).code).toBe('person.not_invited');
    expect((await t.signIn('new@sub.acme.example')).code).toBe('person.not_invited');
  });

  test('cannot give the role manager', async () => {
    await prove(a);
    expect((await enrol(a, 'manager')).body.code).toBe('domain.manager_role');
  });

  test('is not blocked by a revoked invitation to an organization, but by one to the site', async () => {
    await prove(a);
    await enrol(a);
    const { body } = await inviteTo(b, 'ann@acme.example');
    await t.call(revokeOrganizationInvitation, one(b, body.id));
    expect((await t.signIn('ann@acme.example')).status).toBe(200);
    const { id } = await t.invitationTo('ben@acme.example');
    await t.select`update invitations set status = 'revoked', revoked_at = now() where id = ${id}`;
    expect((await t.signIn('ben@acme.example')).code).toBe('person.invitation_revoked');
  });

  test('gives the role member after the role of the domain was deleted', async () => {
    const { body: role } = await t.callAs(admin, createRole, {
      body: { name: 'Reader', permissions: ['members.read'] },
    });
    await prove(a);
    await enrol(a, role.id);
    const deleted = await t.callAs(admin, deleteRole, { params: { roleId: role.id } });
    expect(deleted.status).toBe(200);
    expect((await t.call(listDomains, by(a))).body.rows).toMatchObject([{ roleId: 'member' }]);
    expect(await organizationsOf((await t.signIn('ann@acme.example')).token)).toEqual([['acme', 'member']]);
  });
});
