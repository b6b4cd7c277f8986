/** Unknown query parameters and fields are refused by name; empty parameters and null for absent fields are ignored, and optional bodies may be missing. */
import { invite, renewInvitation } from '@vestibule/contract/invitations';
import { checkInvitations } from '@vestibule/contract/invitations/batches';
import { expect, test } from 'vitest';
import { createTestApp } from '../../test/test-app.ts';
import { closeAfterTests } from '../../test/test-close.ts';

const t = closeAfterTests(await createTestApp());
const admin = await t.join('admin@example.com', 'admin');
const authorization = { authorization: `Bearer ${admin.token}` };

test('an unknown query parameter is refused with its name and the known ones', async () => {
  const response = await t.app.inject({
    url: `/api/people/${admin.id}/timeline?page=2&constructor=1&before=x`,
    headers: authorization,
  });
  const message = 'This query parameter is not known here. Known: before.';
  expect(response.json()).toMatchObject({
    code: 'request.invalid',
    fields: { page: message, constructor: message, before: 'Send a number.' },
  });
  expect(response.statusCode).toBe(400);
});

test('a call without query parameters refuses them', async () => {
  const response = await t.app.inject({
    method: 'POST',
    url: `${invite.path}?role=admin`,
    headers: authorization,
    payload: { email: 'a@example.com' },
  });
  expect(response.json()).toMatchObject({ fields: { role: 'This call has no query parameters.' } });
  expect(response.statusCode).toBe(400);
});

test('empty query parameters are ignored, as Postman sends them', async () => {
  const url = '/api/people?limit=&offset=&sort=&direction=&search=&filters=&part=';
  const response = await t.app.inject({ url, headers: authorization });
  expect(response.json()).toMatchObject({ rows: [{ id: admin.id }], total: 1 });
});

test('pages and the description of the API ignore unknown query parameters', async () => {
  for (const url of ['/.vestibule/start', '/api/docs', '/api/openapi.json', '/healthz'])
    expect((await t.app.inject(url)).statusCode).toBe(
      (await t.app.inject(`${url}?utm_source=mail`)).statusCode,
    );
});

test('a body whose fields are all optional may be missing', async () => {
  const { body } = await t.callAs(admin, invite, { body: { email: 'open@example.com' } });
  const url = renewInvitation.path.replace(':invitationId', body.id);
  const response = await t.app.inject({ method: 'POST', url, headers: authorization });
  expect(response.json()).toMatchObject({ code: 'invitation.not_expired' });
});

test('null counts as an absent field unless the field can be null', async () => {
  const body = { email: 'nulls@example.com', name: null, role: null, lifetimeDays: null };
  expect(await t.callAs(admin, invite, { body: body as never })).toMatchObject({
    status: 200,
    body: { email: 'nulls@example.com', role: 'member' },
  });
  const rows = [{ email: 'row@example.com', name: null }];
  expect((await t.callAs(admin, checkInvitations, { body: { rows } as never })).status).toBe(200);
  expect((await t.callAs(admin, invite, { body: { email: null } as never })).body).toMatchObject({
    code: 'request.invalid',
    fields: { email: expect.stringMatching(/./) },
  });
});

test('an unknown field in a list is refused with its path', async () => {
  const response = await t.callAs(admin, checkInvitations, { body: { rows: [{ nme: 'Ann' }] } as never });
  expect(response.body).toMatchObject({ fields: { 'rows.0.nme': 'This field is not known here.' } });
});

test('another method than those of an address gets 405 with these', async () => {
  const { headers, ...response } = await t.app.inject({ method: 'PUT', url: `/api/people/${admin.id}?x=1` });
  expect([response.statusCode, headers['allow']]).toEqual([405, 'GET, HEAD, DELETE']);
  expect(response.json()).toMatchObject({
    code: 'request.method_not_allowed',
    message: 'This address accepts the methods GET, HEAD, DELETE only.',
  });
});
