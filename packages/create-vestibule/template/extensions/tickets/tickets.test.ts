/** Tickets, through HTTP on a real database. */
import { listActivity } from '@vestibule/contract/activity';
import { createOrganizationSite, type OrganizationSite } from '@vestibule/server/testing';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeTicket, countMyTickets, createTicket, getTicket, listTickets } from './contract.ts';

let site: OrganizationSite;
beforeAll(async () => {
  site = await createOrganizationSite({ extensionsDirectory: path.dirname(import.meta.dirname) });
});
afterAll(() => site.t.close());

type Organization = OrganizationSite['a'];

async function open({ id, manager }: Organization, subject: string) {
  const { body } = await site.t.call(createTicket, {
    token: manager.token,
    params: { organizationId: id },
    body: { subject, description: 'It does not start.' },
  });
  return body;
}

const requestOf = ({ id, manager }: Organization, ticketId: string) => ({
  token: manager.token,
  params: { organizationId: id, ticketId },
});

const list = async ({ id, member }: Organization, query: object) =>
  (
    await site.t.call(listTickets, { token: member.token, params: { organizationId: id }, query })
  ).body.rows.map(({ subject }) => subject);

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

test('a member without the permission cannot open tickets', async () => {
  const { t, a } = site;
  const { status, body } = await t.call(createTicket, {
    token: a.member.token,
    params: { organizationId: a.id },
    body: { subject: 'No', description: '' },
  });
  expect([status, body.code]).toEqual([403, 'organization.permission_needed']);
});

test('a ticket is closed once, and the activity shows who closed it', async () => {
  const { t, admin, a } = site;
  const { id } = await open(a, 'Invoice missing');
  const token = a.manager.token;
  const openBefore = (await t.call(countMyTickets, { token })).body.open;
  expect((await t.call(closeTicket, requestOf(a, id))).body.status).toBe('closed');
  expect((await t.call(closeTicket, requestOf(a, id))).body.code).toBe('ticket.already_closed');
  expect((await t.call(countMyTickets, { token })).body.open).toBe(openBefore - 1);
  const { body: log } = await t.call(listActivity, {
    token: admin.token,
    query: { search: 'invoice missing' },
  });
  expect(log.rows.map(({ action, actor }) => [action, actor])).toEqual([
    ['ticket.closed', a.manager.email],
    ['ticket.created', a.manager.email],
  ]);
});
