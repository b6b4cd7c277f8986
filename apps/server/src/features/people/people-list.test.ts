import { listActivity } from '@vestibule/contract/activity';
import { getInvitation, invite, listInvitations } from '@vestibule/contract/invitations';
import { actOnPeople, countPeople, getPerson, listPeople, removePerson } from '@vestibule/contract/people';
import { filterMaximum } from '@vestibule/contract/rules/limits';
import { describe, expect, test } from 'vitest';
import { createTestApp } from '../../test/test-app.ts';
import { closeAfterTests } from '../../test/test-close.ts';

const t = closeAfterTests(await createTestApp());
const admin = await t.join('admin@example.com', 'admin');
await t.join('ann@example.com');

const filtered = (filters: unknown) => {
  const text = typeof filters === 'string' ? filters : JSON.stringify(filters);
  return t.callAs(admin, listPeople, { query: { filters: text } });
};
const email = (text: string) => ({ column: 'email', is: 'contains', text });

describe('filters', () => {
  test.each([
    ['broken JSON', '[{"column":', 'The filters cannot be read: they are not valid JSON.'],
    ['an object', '{}', 'The filters must be an array.'],
    [
      'an unknown column',
      [{ ...email('a'), column: 'subject' }],
      'This list cannot be filtered by this column.',
    ],
    [
      'a property of Object as a column',
      [{ ...email('a'), column: '__proto__' }],
      'This list cannot be filtered by this column.',
    ],
    [
      'an unknown kind',
      [{ column: 'email', is: 'matches', text: '.*' }],
      'A filter must be one of: contains,',
    ],
    ['an unknown field', [{ ...email('a'), or: 'b' }], 'not known'],
    ['a group by text', [{ ...email('a'), column: 'group' }], 'Rows are filtered by group with oneOf.'],
    ['an empty text', [email(' ')], 'Enter what to look for.'],
    ['a text of 201 characters', [email('x'.repeat(201))], 'at most 200 characters'],
    ['a NUL', [email('a\0b')], 'single line without control characters'],
    [
      'a NUL among values',
      [{ column: 'role', is: 'oneOf', values: ['\0'] }],
      'one line without control characters',
    ],
    ['a range without bounds', [{ column: 'joinedAt', is: 'between' }], 'Provide `from`, `to`, or both.'],
    ['an invalid day', [{ column: 'joinedAt', is: 'between', from: '2026-02-31' }], 'Enter a time such as'],
    ['the wrong kind of column', [{ ...email('a'), column: 'role' }], 'Filter it by its values.'],
    [
      'too many filters',
      Array.from({ length: filterMaximum + 1 }, () => email('a')),
      'at most 20 filters at a time',
    ],
    ['4,001 characters', `[${' '.repeat(3_999)}]`, 'at most 4000 characters'],
  ])('return 400 with an explanation for %s', async (_, filters, sentence) => {
    const { status, body } = await filtered(filters);
    expect(status).toBe(400);
    expect(body.code).toBe('request.invalid');
    expect(Object.values(body.fields ?? {}).join()).toContain(sentence);
    expect(Object.keys(body.fields ?? {})[0]).toMatch(/^filters/);
  });

  test('are accepted up to a maximum of twenty filters and 4,000 characters', async () => {
    const twenty = JSON.stringify(Array.from({ length: filterMaximum }, () => email('a')));
    expect((await filtered(twenty.padEnd(4_000))).status).toBe(200);
  });
});

describe('an export', () => {
  const post = (body: object, area = 'people') =>
    t.app.inject({
      method: 'POST',
      url: `/api/${area}/export`,
      headers: { authorization: `Bearer ${admin.token}` },
      payload: body,
    });
  const chosen = (count: number) => Array.from({ length: count }, (_, index) => String(index));

  test('returns a file with a dated name and no-store', async () => {
    const { statusCode, headers, payload } = await post({ columns: ['email', 'role'], sort: 'email' });
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="people-2026-11-21.csv"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(payload).toBe(
      '\uFEFFE-mail,Role\r\nadmin@example.com,Administrator\r\nann@example.com,Member\r\n',
    );
    const workbook = await post({ format: 'xlsx' });
    expect(workbook.headers['content-disposition']).toBe('attachment; filename="people-2026-11-21.xlsx"');
    expect(workbook.rawPayload.subarray(0, 2).toString()).toBe('PK');
  });

  test.each([
    ['another format', { format: 'pdf' }, 'The format is csv or xlsx.'],
    ['an unknown column', { columns: ['email', 'subject'] }, 'This column cannot be exported.'],
    ['no column', { columns: [] }, 'Choose at least one column.'],
    ['repeated columns', { columns: Array<string>(200).fill('email') }, 'Name each column once.'],
    ['invalid filters', { filters: '[' }, 'The filters must be an array.'],
    ['an invalid id', { ids: ["';--"] }, 'This is not the id of a row.'],
    ['too many rows', { ids: chosen(1_001) }, 'Choose at most 1000 individual rows, or all that match.'],
    ['too many exclusions', { except: chosen(1_001) }, 'Exclude at most 1000 individual rows.'],
  ])('returns 400 with %s and is not logged', async (_what, body, sentence) => {
    const before = await t.select(`select from audit_log where action = 'people.exported'`);
    const response = await post(body);
    expect(response.statusCode).toBe(400);
    expect(response.payload).toContain(sentence);
    expect(await t.select(`select from audit_log where action = 'people.exported'`)).toHaveLength(
      before.length,
    );
  });

  test('contains the selected rows and ignores invalid ids', async () => {
    const unknown = '0192f0c1-2345-7abc-8def-0123456789ab';
    const { payload } = await post({ columns: ['email'], ids: [...chosen(998), admin.id, unknown] });
    expect(payload).toBe('\uFEFFE-mail\r\nadmin@example.com\r\n');
    const entries = await post({ columns: ['action'], ids: ['1', 'a-'] }, 'activity');
    expect(entries.payload).toBe('\uFEFFWhat\r\ninvitation.redeemed\r\n');
  });

  test('contains all matching rows except excluded ones (J2)', async () => {
    const columns = ['email'];
    const { payload } = await post({ columns, search: 'example', except: [...chosen(999), admin.id] });
    expect(payload).toBe('\uFEFFE-mail\r\nann@example.com\r\n');
    expect((await post({ columns, except: [] })).payload.split('\r\n')).toHaveLength(4);
    const query = { columns: ['target'], search: 'redeemed', sort: 'at' };
    const entries = await post({ ...query, except: ['1', 'a-'] }, 'activity');
    expect(entries.payload).toBe('\uFEFFAffected\r\nann@example.com\r\n');
    const [entry] = (await t.callAs(admin, listActivity, { query: { limit: 1 } })).body.rows;
    expect(entry).toMatchObject({
      action: 'activity.exported',
      detail: { rows: 1, except: ['1', 'a-'] },
    });
  });
});

test('counts, filters, exports and bulk actions use the same groups (K3)', async () => {
  const day = 24 * 3_600_000;
  const at = (days: number) => new Date(t.clock.now() - days * day);
  const ids: string[] = [];
  for (const name of ['quiet', 'never-here', 'here', 'quiet-disabled'])
    ids.push((await t.join(`${name}@example.org`)).id);
  const [quiet, never, active, disabled] = ids;
  const change = 'update people set joined_at = $2, last_seen_at = $3, status = $4 where id = $1';
  await t.select(change, [quiet, at(200), at(91), 'active']);
  await t.select(change, [never, at(91), null, 'active']);
  await t.select(change, [active, at(200), at(89), 'active']);
  await t.select(change, [disabled, at(200), at(100), 'disabled']);
  const { body: counts } = await t.callAs(admin, countPeople);
  expect(counts).toEqual({ all: 6, active: 5, administrators: 1, new: 2, quiet: 2, disabled: 1 });
  for (const [group, count] of Object.entries(counts)) {
    if (group === 'all') continue;
    expect((await filtered([{ column: 'group', is: 'oneOf', values: [group] }])).body.total).toBe(count);
  }
  const filters = [{ column: 'group', is: 'oneOf', values: ['quiet'] }];
  const exported = await t.app.inject({
    method: 'POST',
    url: '/api/people/export',
    headers: { authorization: `Bearer ${admin.token}` },
    payload: { columns: ['email'], sort: 'email', filters },
  });
  expect(exported.payload).toBe('\uFEFFE-mail\r\nnever-here@example.org\r\nquiet@example.org\r\n');
  const acted = await t.callAs(admin, actOnPeople, {
    body: { action: 'remove', selection: { all: { filters, total: 2 } } } as never,
  });
  expect(acted.body).toMatchObject({ done: 2 });
});

test('people are sorted by name as in a dictionary, by address and by number', async () => {
  const names = ['Zebra', 'Österreich', 'Äpfel', 'apfel', 'Room 10', 'Room 9', 'Łukasz', 'Émile', 'Иван'];
  const domain = 'sorted.example';
  for (const [index, name] of names.entries()) {
    const { id } = await t.join(`a${index}@${domain}`);
    await t.select`update people set display_name = ${name} where id = ${id}`;
  }
  const { body } = await t.callAs(admin, listPeople, { query: { search: domain, sort: 'displayName' } });
  expect(body.rows.map(({ displayName }) => displayName)).toEqual([
    'apfel',
    'Äpfel',
    'Émile',
    'Łukasz',
    'Österreich',
    'Room 9',
    'Room 10',
    'Zebra',
    'Иван',
  ]);
});

test('people and invitations contain the inviter; invitations also contain the person who joined (K2, K3)', async () => {
  const { token } = admin;
  const ben = await t.join('Ben@Example.com');
  const namedAdmin = { id: admin.id, displayName: expect.stringMatching(/./) as string };
  const invited = await t.call(invite, { token, body: { email: 'open@example.com' } });
  const invitationOf = async (search: string) =>
    (await t.call(listInvitations, { token, query: { search } })).body.rows[0];
  expect(await invitationOf('open@')).toMatchObject({ person: null, inviter: namedAdmin });
  const single = await t.call(getInvitation, { token, params: { invitationId: invited.body.id } });
  const byName = namedAdmin.displayName;
  expect(single.body).toMatchObject({ inviter: namedAdmin, timeline: [{ by: 'admin@example.com', byName }] });
  expect(await invitationOf('ben@')).toMatchObject({ person: { id: ben.id } });
  await t.database.query({
    text: 'update people set invited_by = $2 where id = $1',
    values: [ben.id, 'ADMIN@example.com'],
  });
  const { rows } = (await t.call(listPeople, { token, query: { search: 'ben@' } })).body;
  expect(rows).toMatchObject([{ id: ben.id, inviter: namedAdmin }]);
  const { body } = await t.call(getPerson, { token, params: { personId: ben.id } });
  expect(body).toMatchObject({ id: ben.id, inviter: namedAdmin });

  await t.call(removePerson, { token, params: { personId: ben.id } });
  expect(await invitationOf('ben@')).toMatchObject({ person: null });
});
