/** Mails of an extension to the members of an organization who have a permission. */
import {
  addMember,
  changeMember,
  changeOrganization,
  createRole,
  removeMember,
} from '@vestibule/contract/organizations';
import { disablePerson } from '@vestibule/contract/people';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineExtension } from '../../platform/extensions/extension.ts';
import { createExtensionWriter } from '../../test/extensions/test-extension-files.ts';
import type { TestApp } from '../../test/test-app.ts';
import { createOrganizationSite, type OrganizationSite } from '../organizations/test-organizations.ts';

const writeExtension = createExtensionWriter('alarms');
let site: OrganizationSite;
let t: TestApp;
let a: OrganizationSite['a'];
/** Role with the permission of the extension. */
let closer: string;

beforeEach(async () => {
  const extensionsDirectory = await writeExtension(
    `const mail = (permission) => (organizationId) => Promise.resolve({
       to: { organizationId, permission },
       en: { subject: 'An alarm', parts: ['Look at it.'], closing: 'You get this e-mail because you may close alarms.' },
       de: { subject: 'Ein Alarm', parts: ['Sehen Sie nach.'], closing: 'Sie erhalten diese E-Mail, weil Sie Alarme beenden dürfen.' },
     });
     export default {
       name: 'alarms', requires: '^1.1',
       permissions: [
         { name: 'alarms.close', label: 'Close alarms', memberHasIt: false },
         { name: 'alarms.read', label: 'See alarms', memberHasIt: true },
       ],
       mails: { raised: mail('alarms.close'), seen: mail('alarms.read'), invited: mail('members.write'), wrong: mail('alarms.open') },
     };`,
  );
  site = await createOrganizationSite({ extensionsDirectory });
  ({ t, a } = site);
  const body = { name: 'Closer', permissions: ['alarms.close'] };
  closer = (await t.callAs(site.admin, createRole, { body })).body.id;
});
afterEach(() => t.close());

/** Adds a member a minute after the one before. */
async function join(name: string, roleId: string) {
  t.clock.advance(60_000);
  const person = await t.join(`${name}@acme.example`);
  const { status } = await t.callAs(site.admin, addMember, {
    params: { organizationId: a.id },
    body: { personId: person.id, roleId },
  });
  expect(status).toBe(200);
  return person;
}

const disable = ({ id }: { id: string }) =>
  t.callAs(site.admin, disablePerson, { params: { personId: id }, query: {} });

const queue = (mail: string, id?: string) =>
  t.database.transaction((transaction) =>
    t.mail.queue(transaction, [{ ...(id && { id }), template: `alarms/${mail}`, subjectId: a.id }]),
  );

async function recipientsOf(mail: string) {
  await queue(mail);
  return (await t.writeQueuedMails(`alarms/${mail}`)).map(({ to }) => to.address).sort();
}

test('the worker sends a mail to each active member with the permission, and to no other organization', async () => {
  await join('closer', closer);
  await disable(await join('disabled', closer));
  const sent: string[] = [];
  await t.mail.work(
    async ({ to, subject }) => void (subject === 'An alarm' && sent.push(to.address)),
    t.mailTemplates,
  );
  await queue('raised');
  const states = () => t.select(`select state from jobs.job where data ->> 'template' = 'alarms/raised'`);
  const completed = { state: 'completed' };
  await expect.poll(states, { interval: 100 }).toEqual([completed, completed, completed]);
  expect(sent.sort()).toEqual(['closer@acme.example', 'manager@acme.example']);
});

test('permissions of Vestibule, and those that all members have, are accepted', async () => {
  await join('closer', closer);
  expect(await recipientsOf('invited')).toEqual(['manager@acme.example']);
  expect(await recipientsOf('seen')).toEqual([
    'closer@acme.example',
    'manager@acme.example',
    'member@acme.example',
  ]);
});

test('a retried job queues no second mail', async () => {
  await join('closer', closer);
  const template = t.mailTemplates['alarms/raised'];
  const job = { id: '0192f0c1-2345-7abc-8def-0123456789ab' };
  const queued = () => t.select`select id from jobs.job where data ? 'recipientId' order by id`;
  expect(await template?.write(a.id, job)).toBeNull();
  const first = await queued();
  expect(first).toHaveLength(2);
  expect(await template?.write(a.id, job)).toBeNull();
  expect(await queued()).toEqual(first);
  await template?.write(a.id, { id: '0192f0c1-2345-7abc-8def-0123456789ac' });
  expect(await queued()).toHaveLength(4);
});

test('a person who loses the permission or the membership before the mail is sent gets none', async () => {
  const { id: personId } = await join('closer', closer);
  const gone = await join('gone', closer);
  const template = t.mailTemplates['alarms/raised'];
  await template?.write(a.id, { id: '0192f0c1-2345-7abc-8def-0123456789ab' });
  const ofA = (id: string) => ({
    token: site.admin.token,
    params: { organizationId: a.id, personId: id },
  });
  await t.call(changeMember, { ...ofA(personId), body: { roleId: 'member' } });
  await t.call(removeMember, ofA(gone.id));
  const mails = await t.writeQueuedMails('alarms/raised');
  expect(mails.map(({ to }) => to.address)).toEqual(['manager@acme.example']);
});

test('the first hundred members get the mail, and the log names the limit', async () => {
  await t.select(
    `insert into people (id, email, email_canonical, display_name, role)
     select gen_random_uuid(), 'n' || n || '@acme.example', 'n' || n || '@acme.example', 'N', 'member' from generate_series(1, 101) n`,
  );
  await t.select`
    insert into memberships (organization_id, person_id, role_id, joined_at)
    select ${a.id}, id, 'manager', timestamptz '2020-01-01' + interval '1 day' * substring(email from '\\d+')::int
    from people where display_name = 'N'`;
  const recipients = await recipientsOf('raised');
  expect(recipients).toHaveLength(100);
  expect(recipients).toContain('n100@acme.example');
  expect(recipients).not.toContain('n101@acme.example');
  expect(t.log.join('')).toContain('the mail alarms/raised is sent to 100 recipients only');
});

test('an organization without recipients, or that is suspended, gets no mail, and the log reports it', async () => {
  await disable(a.manager);
  expect(await recipientsOf('raised')).toEqual([]);
  expect(t.log.join('')).toContain('the mail alarms/raised has no recipients');
  expect(await recipientsOf('seen')).toEqual(['member@acme.example']);
  await t.callAs(site.admin, changeOrganization, {
    params: { organizationId: a.id },
    query: {},
    body: { status: 'suspended' },
  });
  expect(await recipientsOf('seen')).toEqual([]);
});

test('an undefined permission fails the mail, and the log names both', async () => {
  await expect(recipientsOf('wrong')).rejects.toThrow(
    'The mail alarms/wrong names the permission alarms.open, which neither the extension nor Vestibule defines.',
  );
  expect(t.log.join('')).toContain('the mail alarms/wrong was not written');
});

test('an undefined permission does not compile', () => {
  const permissions = [{ name: 'alarms.close', label: 'Close alarms', memberHasIt: false }] as const;
  const texts = { en: { subject: '', parts: [''] as [string], closing: '' } };
  const organizationId = '';
  const extension = defineExtension({
    name: 'alarms',
    requires: '^1.1',
    permissions: [...permissions],
    mails: {
      own: async () => ({ to: { organizationId, permission: 'alarms.close' }, ...texts }),
      ofVestibule: async () => ({ to: { organizationId, permission: 'members.write' }, ...texts }),
      // @ts-expect-error -- The extension does not define it.
      wrong: async () => ({ to: { organizationId, permission: 'alarms.open' }, ...texts }),
    },
  });
  expect(Object.keys(extension.mails ?? {})).toEqual(['own', 'ofVestibule', 'wrong']);
});

test('a member who has chosen no language of mails gets the mail in that of the invitation', async () => {
  const { id, email } = await join('closer', closer);
  await t.select`update people set language = 'fr' where id = ${id}`;
  await t.select`update invitations set language = 'de' where email = ${email}`;
  await queue('raised');
  const mails = await t.writeQueuedMails('alarms/raised');
  expect(mails.find(({ to }) => to.address === email)?.subject).toBe('Ein Alarm');
});
