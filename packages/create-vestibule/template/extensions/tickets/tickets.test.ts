/** Tickets, through HTTP on a real database. */
import { listActivity } from '@vestibule/contract/activity';
import { changeExtensionSettings } from '@vestibule/contract/extensions';
import { addMember } from '@vestibule/contract/organizations';
import { removePerson } from '@vestibule/contract/people';
import { downloadMyData } from '@vestibule/contract/profile';
import { recordFileRoutes } from '@vestibule/contract/record-files';
import { createWebhook } from '@vestibule/contract/webhooks';
import {
  createOrganizationSite,
  findRuleViolations,
  uploadFile,
  type OrganizationSite,
} from '@vestibule/server/testing';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  closeTicket,
  countOpenTickets,
  createTicket,
  getTicket,
  listMyTickets,
  listTickets,
} from './contract.ts';

const metricsToken = 'a-token-of-the-scraper';

let site: OrganizationSite;
beforeAll(async () => {
  site = await createOrganizationSite({
    extensionsDirectory: path.dirname(import.meta.dirname),
    environment: { METRICS_TOKEN: metricsToken },
  });
});
afterAll(() => site.t.close());

type Organization = OrganizationSite['a'];

/** Opens a ticket as the member of an organization. */
async function open({ id, member }: Organization, subject: string) {
  const { body } = await site.t.call(createTicket, {
    token: member.token,
    params: { organizationId: id },
    body: { subject, description: 'It does not start.' },
  });
  return body;
}

/** Request of the manager of an organization. */
const requestOf = ({ id, manager }: Organization, ticketId: string) => ({
  token: manager.token,
  params: { organizationId: id, ticketId },
});

const list = async ({ id, member }: Organization, query: object) =>
  (
    await site.t.call(listTickets, { token: member.token, params: { organizationId: id }, query })
  ).body.rows.map(({ subject }) => subject);

/** Returns the entries of the activity, the last one first. */
async function activityOf(search: string) {
  const { t, admin } = site;
  const token = await t.recentTokenOf(admin);
  const { rows } = (await t.call(listActivity, { token, query: { search } })).body;
  return rows.map(({ action, actor }) => [action, actor]);
}

test('the routes follow the rules for access, rate limits, texts and sorting', async () => {
  expect(await findRuleViolations(site)).toEqual([]);
});

test('a ticket is listed to the members of its organization only', async () => {
  const { t, a, b } = site;
  const ticket = await open(a, 'Printer on fire');
  expect(ticket).toMatchObject({ status: 'open', author: 'Someone' });
  expect(await list(a, { search: 'fire' })).toEqual(['Printer on fire']);
  expect(await list(b, {})).toEqual([]);
  expect((await t.call(getTicket, requestOf(b, ticket.id))).status).toBe(404);
});

test('tickets are sorted and filtered by the author, who is stored in another table', async () => {
  await open(site.b, 'Login fails');
  const filters = JSON.stringify([{ column: 'author', is: 'contains', text: 'some' }]);
  expect(await list(site.b, { sort: 'author', filters })).toEqual(['Login fails']);
});

test('a member opens a ticket and cannot close it, a manager closes it once, and the activity shows both', async () => {
  const { t, a } = site;
  const { id } = await open(a, 'Invoice missing');
  const { token } = a.member;
  const refused = await t.call(closeTicket, { ...requestOf(a, id), token });
  expect([refused.status, refused.body.code]).toEqual([403, 'organization.permission_needed']);
  expect((await t.call(closeTicket, requestOf(a, id))).body.status).toBe('closed');
  expect((await t.call(closeTicket, requestOf(a, id))).body.code).toBe('ticket.already_closed');
  const { rows: own } = (await t.call(listMyTickets, { token })).body;
  expect(own.find((ticket) => ticket.id === id)).toMatchObject({
    status: 'closed',
    organization: { slug: a.slug },
  });
  expect(await activityOf('invoice missing')).toEqual([
    ['ticket.closed', a.manager.email],
    ['ticket.created', a.member.email],
  ]);
});

test('members of the organization add and open the files on a ticket', async () => {
  const { t, a, b } = site;
  const { id } = await open(a, 'Printer smokes');
  const { list: listFiles, add, link } = recordFileRoutes('ticket');
  const at = ({ token }: { token: string }) => ({ token, params: { organizationId: a.id, recordId: id } });
  const attachmentId = await uploadFile(t, a.member, 'smoke.txt', 'grey');
  expect((await t.call(add, { ...at(a.member), body: { attachmentId } })).status).toBe(200);
  const { rows } = (await t.call(listFiles, at(a.manager))).body;
  expect(rows.map(({ name, addedBy }) => [name, addedBy])).toEqual([['smoke.txt', 'Someone']]);
  expect((await t.call(listFiles, at(b.manager))).status).toBe(404);
  const { token, params } = at(a.manager);
  const { body } = await t.call(link, {
    token,
    params: { ...params, fileId: attachmentId },
    body: { purpose: 'download' },
  });
  expect((await t.app.inject({ url: body.path })).body).toBe('grey');
});

test('the managers of the organization get a mail about a new ticket, and the author when it is closed', async () => {
  const { t, a } = site;
  const mailsOf = async (name: string, text: string) =>
    (await t.writeQueuedMails(`tickets/${name}`))
      .filter(({ subject }) => subject.includes(text))
      .map(({ to, subject }) => [to.address, subject]);
  const { id } = await open(a, 'Door stuck');
  expect(await mailsOf('opened', 'Door')).toEqual([[a.manager.email, 'Opened: Door stuck']]);
  await t.call(closeTicket, requestOf(a, id));
  expect(await mailsOf('closed', 'Door')).toEqual([[a.member.email, 'Closed: Door stuck']]);
});

test('a removed person leaves closed tickets without a name, and "my data" contains the tickets', async () => {
  const { t, admin, b } = site;
  const person = await t.join('customer@bolt.example');
  const params = { organizationId: b.id };
  await t.call(addMember, {
    token: admin.token,
    params,
    body: { personId: person.id, roleId: 'member' },
  });
  const { id } = await open({ ...b, member: person }, 'Moving out');
  expect((await t.call(downloadMyData, { token: person.token })).text).toContain('Moving out');
  await t.call(removePerson, { token: admin.token, params: { personId: person.id }, query: {} });
  expect((await t.call(getTicket, requestOf(b, id))).body).toMatchObject({
    status: 'closed',
    author: null,
  });
  expect(await activityOf('moving out')).toEqual([
    ['ticket.closed', 'Vestibule'],
    ['ticket.created', person.email],
  ]);
});

test('administrators see the number of open tickets of each organization, and the metrics contain the sum', async () => {
  const { t, admin, a, b } = site;
  const countOpen = async () => {
    const body = { organizationIds: [a.id, b.id] };
    const { counts } = (await t.call(countOpenTickets, { token: admin.token, body })).body;
    const headers = { authorization: `Bearer ${metricsToken}` };
    const metrics = (await t.app.inject({ url: '/metrics', headers })).payload;
    return [counts[a.id] ?? 0, Number(/^vestibule_tickets_open (\d+)$/m.exec(metrics)?.[1])];
  };
  const [inOrganization = 0, inAll = 0] = await countOpen();
  const { id } = await open(a, 'Monitor flickers');
  expect(await countOpen()).toEqual([inOrganization + 1, inAll + 1]);
  await t.call(closeTicket, requestOf(a, id));
  expect(await countOpen()).toEqual([inOrganization, inAll]);
});

test('a webhook of the site gets a message about a new ticket', async () => {
  const { t, admin, a } = site;
  const { status } = await t.call(createWebhook, {
    token: admin.token,
    body: { url: 'https://example.com/hook', description: '', events: ['ticket.created'] },
  });
  expect(status).toBe(200);
  const { id } = await open(a, 'Mouse missing');
  await t.call(closeTicket, requestOf(a, id));
  expect(await t.select('select event from webhook_messages where object_id = $1', [id])).toEqual([
    { event: 'ticket.created' },
  ]);
});

test('the job closes open tickets after the number of days in the settings', async () => {
  const { t, admin, a } = site;
  const { id } = await open(a, 'Old question');
  const change = (values: object) =>
    t.call(changeExtensionSettings, {
      token: admin.token,
      params: { name: 'tickets' },
      body: { values } as never,
    });
  expect((await change({ closeAfterDays: -1 })).status).toBe(400);
  expect((await change({ closeAfterDays: 2 })).status).toBe(200);
  const stateAfterDays = async (days: number) => {
    t.clock.advance(days * 24 * 3_600_000);
    await t.runJob('tickets/close-old');
    return t.select('select status from tickets where id = $1', [id]);
  };
  expect(await stateAfterDays(1)).toEqual([{ status: 'open' }]);
  expect(await stateAfterDays(2)).toEqual([{ status: 'closed' }]);
  expect((await activityOf('old question'))[0]).toEqual(['ticket.closed', 'Vestibule']);
});
