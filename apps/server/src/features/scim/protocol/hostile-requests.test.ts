import { scimPath } from '@vestibule/contract/directory';
import { afterAll, describe, expect, test } from 'vitest';
import { createTestScim, groupSchema, patchOf, userSchema } from '../test-scim.ts';

const d = await createTestScim();
const userId = (await d.create('member@example.com', { externalId: 'e-1' })).id;
const groupId = (await d.scim('POST', '/Groups', { displayName: 'Everybody', members: [{ value: userId }] }))
  .body.id;
afterAll(() => d.close());

const filtered = (filter: string, list = 'Users') =>
  d.scim('GET', `/${list}?filter=${encodeURIComponent(filter)}`);

describe('filters', () => {
  test.each([
    'userName',
    'userName eq',
    'userName eq "a" and',
    'userName eq "a" or',
    'not userName eq "a"',
    'userName gt "a"',
    'userName regex "a"',
    'active co "t"',
    'members eq "a"',
    'meta.lastModified gt "yesterday"',
    'meta.lastModified gt "99999-01-01T00:00:00Z"',
    'and',
    'userName eq "a',
    'password eq "a"',
    '__proto__ eq "a"',
    'constructor eq "a"',
    '(userName eq "a"',
    'userName eq "a")',
    '()',
    '[',
    'emails[]',
    'emails[type eq "work"].',
    'emails[type eq "work"',
    'emails[type]',
    'userName eq "a" userName eq "b"',
    'userName eq "\\x"',
    `userName eq "${'a'.repeat(1_000)}"`,
    ' ',
  ])('%s is rejected as a filter', async (filter) => {
    expect(await filtered(filter)).toMatchObject({
      status: 400,
      body: { scimType: 'invalidFilter', status: '400', detail: expect.any(String) },
    });
  });

  test.each([
    `userName eq "' or 1=1 --"`,
    `userName eq "'; delete from directory_users; --"`,
    `externalId eq "e-1' or '1'='1"`,
    String.raw`userName eq "a\"b and c eq \"d"`,
    String.raw`userName eq "\u0000"`,
    String.raw`externalId eq "\ud800"`,
    `id eq "not an id"`,
    'emails[type eq "home"].value eq "member@example.com"',
    'emails.value eq "no address"',
    'userName co "%"',
    'userName sw "_ember"',
    `userName co "' or true --"`,
    'not (userName pr)',
    'userName ne "member@example.com"',
    'externalId eq "E-1"',
    'emails[type eq "home" or primary eq false]',
    'meta.created lt "2000-01-01"',
    'userName eq "a" or userName eq "b" and active eq true',
  ])('%s is compared as a value and not executed (security 70)', async (filter) => {
    expect(await filtered(filter)).toMatchObject({ status: 200, body: { totalResults: 0 } });
    expect((await d.scim('GET', '/Users')).body.totalResults).toBe(1);
  });

  test.each([
    'USERNAME EQ "MEMBER@example.com"',
    `${userSchema}:userName eq "member@example.com"`,
    '  externalId eq "e-1"  and  active eq true ',
    'emails[primary eq true].value eq "member@example.com"',
    'userName eq "a" or emails.value eq "member@example.com"',
    '(userName EQ "member@example.com") And (active Eq True)',
    'active eq true and (externalId eq "a" or (externalId eq "e-1"))',
    'active eq true or userName eq "a" and userName eq "b"',
    'userName sw "Member@"',
    'userName co "BER@exam"',
    'emails[value ew "@example.com"]',
    'externalId pr and not (userName eq "a")',
    'displayName ne "a"',
    'not (displayName eq "a")',
    'meta.lastModified gt "2000-01-01T00:00:00.000Z" and meta.created le "9999-12-31T23:59:59+02:00"',
    'meta.lastModified ge "2000-01-01T00:00:00 02:00"',
    `${userSchema}:emails[type eq "work"].value sw "member"`,
  ])('%s finds the user', async (filter) => {
    expect((await filtered(filter)).body).toMatchObject({ totalResults: 1 });
  });

  test('a plus sign that the client has not encoded is part of the address', async () => {
    const { id } = await d.create('anna+x@example.com');
    for (const attribute of ['userName', 'emails.value', 'emails[type eq "work"].value']) {
      const filter = encodeURIComponent(`${attribute} eq "anna+x@example.com"`).replace('%2B', '+');
      expect((await d.scim('GET', `/Users?filter=${filter}`)).body.Resources).toMatchObject([{ id }]);
    }
    await d.scim('DELETE', `/Users/${id}`);
  });

  test('group members can be filtered in three notations', async () => {
    for (const filter of [
      `members eq "${userId}"`,
      `members.value eq "${userId}"`,
      `members[value eq "${userId}"]`,
      `members[type eq "User" and value eq "${userId}"]`,
      'displayName sw "every" and members pr',
    ])
      expect((await filtered(filter, 'Groups')).body).toMatchObject({ totalResults: 1 });
  });

  test('the longest filter is parsed within the time limit', async () => {
    const long = Array.from({ length: 40 }, () => 'userName eq "a\\"b"')
      .join(' and ')
      .slice(0, 999);
    const before = process.cpuUsage();
    for (let round = 0; round < 20; round += 1) await filtered(long.padEnd(1_000, '('));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(2_000);
  });
});

test.each([
  ['no JSON', '{', 400],
  ['a list', '[]', 400],
  ['nothing', 'null', 400],
  ['a prototype', '{"__proto__": {"admin": true}, "userName": "a@example.com"}', 400],
  ['a body of 2 MB', JSON.stringify({ userName: 'a'.repeat(2 * 1024 * 1024) }), 413],
])('%s is reported as a SCIM error', async (_what, body, status) => {
  expect(await d.scim('POST', '/Users', body)).toMatchObject({
    status,
    headers: { 'content-type': 'application/scim+json; charset=utf-8' },
    body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: String(status) },
  });
});

test('more than 6,000 requests per minute are rejected', async () => {
  await d.t.select(
    `insert into rate_limits (key, used, ends_at) values ('scim:directory', 6000, $1)
     on conflict (key) do update set used = 6000, ends_at = $1`,
    [new Date(d.t.clock.now() + 30_000)],
  );
  expect(await d.scim('GET', '/Users')).toMatchObject({
    status: 429,
    headers: { 'retry-after': '30' },
    body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '429' },
  });
  d.t.clock.advance(31_000);
  expect((await d.scim('GET', '/Users')).status).toBe(200);
});

test('form data and unknown addresses are rejected with SCIM errors, after the token check', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  expect((await d.scim('POST', '/Users', 'userName=a', form)).status).toBe(415);
  for (const [method, url] of [
    ['GET', '/Me'],
    ['POST', '/Bulk'],
    ['GET', '/Schemas/none'],
  ] as const)
    expect(await d.scim(method, url, method === 'GET' ? undefined : {})).toMatchObject({
      status: 404,
      body: { status: '404' },
    });
  expect((await d.t.app.inject(`${scimPath}/Me`)).statusCode).toBe(401);
});

test.each([
  ['PUT', '/Users', 'GET, HEAD, POST'],
  ['POST', `/Users/${userId}`, 'GET, HEAD, PUT, PATCH, DELETE'],
  ['DELETE', '/Groups/', 'GET, HEAD, POST'],
  ['PATCH', '/ServiceProviderConfig?count=1', 'GET, HEAD'],
] as const)('%s %s gets 405 with the methods of the address', async (method, url, methods) => {
  expect(await d.scim(method, url, method === 'DELETE' ? undefined : {})).toMatchObject({
    status: 405,
    headers: { allow: methods, 'content-type': 'application/scim+json; charset=utf-8' },
    body: { status: '405', detail: expect.stringContaining(methods) },
  });
});

describe('SCIM addresses', () => {
  const request = (url: string, method: 'GET' | 'POST' = 'GET', authorization = `Bearer ${d.token}`) =>
    d.t.app.inject({ method, url, headers: { authorization, accept: 'text/html' } });

  test.each([
    '/scim/v2//Users',
    '/scim/v2/Users/',
    '//scim/v2/Users',
    '/scim//v2///Users//?aadOptscim062020&count=1',
    '/scim/v2//ServiceProviderConfig',
    '/scim/v2/Schemas/',
  ])('surplus slashes are ignored: %s', async (url) => {
    const response = await request(url);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toHaveProperty('schemas');
  });

  test('surplus slashes are ignored in POST, PATCH and DELETE', async () => {
    const { id } = (await d.scim('POST', '//Users/', { userName: 'slashes@example.com' })).body;
    const patch = patchOf({ op: 'replace', path: 'displayName', value: 'Slashes' });
    expect((await d.scim('PATCH', `//Users//${id}/`, patch)).status).toBe(200);
    expect((await d.scim('DELETE', `/Users/${id}/`)).status).toBe(204);
  });

  test.each(['/scim/v2', '/scim/v2/', '/scim', '/scim/', '/scim/Users', '/scim/v1/Users', '/scim/v2/users'])(
    '%s returns SCIM errors: 401 without the token, otherwise 404 with the correct base URL in the message',
    async (url) => {
      const stranger = await request(url, 'GET', '');
      expect(stranger.statusCode).toBe(401);
      expect(stranger.json()).toMatchObject({ status: '401' });
      for (const method of ['GET', 'POST'] as const) {
        const response = await request(url, method);
        expect(response.statusCode).toBe(404);
        expect(response.headers['content-type']).toBe('application/scim+json; charset=utf-8');
        expect(response.json()).toMatchObject({
          status: '404',
          detail: expect.stringContaining('https://portal.example.com/scim/v2'),
        });
      }
    },
  );

  test('a path that only starts like the SCIM path returns no SCIM response', async () => {
    expect((await request('/scimitar')).headers['content-type']).not.toContain('scim');
  });
});

test.each([
  [
    'more than 1,000 operations',
    patchOf(...Array.from({ length: 1_001 }, () => ({ op: 'add', path: 'title', value: 'x' }))),
    'tooMany',
  ],
  ['an unknown operation', patchOf({ op: 'move', path: 'userName' }), 'invalidSyntax'],
  ['an invalid path', patchOf({ op: 'add', path: 'userName[[', value: 'x' }), 'invalidPath'],
  ['a remove operation without a path', patchOf({ op: 'remove' }), 'noTarget'],
  ['a removed user name', patchOf({ op: 'remove', path: 'userName' }), 'invalidValue'],
  [
    'a name of two lines',
    patchOf({ op: 'replace', path: 'displayName', value: 'a\r\nBcc: b' }),
    'invalidValue',
  ],
  [
    'a text that is too long',
    patchOf({ op: 'replace', path: 'externalId', value: 'x'.repeat(257) }),
    'invalidValue',
  ],
  [
    'a value of active that is neither true nor false',
    patchOf({ op: 'replace', path: 'active', value: 'perhaps' }),
    'invalidValue',
  ],
])('a PATCH with %s changes nothing', async (_what, patch, scimType) => {
  const before = (await d.scim('GET', `/Users/${userId}`)).body;
  expect(await d.scim('PATCH', `/Users/${userId}`, patch)).toMatchObject({ status: 400, body: { scimType } });
  expect((await d.scim('GET', `/Users/${userId}`)).body).toEqual(before);
});

const attributes = [
  'userName',
  'active',
  'emails',
  'name',
  'members',
  'displayName',
  'externalId',
  'id',
  'meta',
];
const paths = [
  'emails[type eq "work"].value',
  'emails[',
  'name.familyName',
  'members[value eq "x"]',
  'constructor',
];
const values = [null, true, -1e20, [], {}, [null], { value: '\0' }];
const texts = ['', '\0', '\ud800', 'x'.repeat(300), 'new@example.com'];

test.each<unknown>([...values, ...texts])(
  'the value %j of any attribute gets a valid SCIM response (security 70)',
  async (value) => {
    const wrong: string[] = [];
    for (const name of [...attributes, ...paths])
      for (const [method, url, body] of [
        ['POST', '/Users', { schemas: [userSchema], userName: `${name}@example.com`, [name]: value }],
        ['POST', '/Groups', { schemas: [groupSchema], displayName: name, [name]: value }],
        ['PUT', `/Users/${userId}`, { schemas: [userSchema], userName: 'member@example.com', [name]: value }],
        ['PATCH', `/Users/${userId}`, patchOf({ op: 'Add', path: name, value })],
        ['PATCH', `/Groups/${groupId}`, patchOf({ op: 'replace', path: name, value })],
      ] as const) {
        const response = await d.scim(method, url, body);
        const isError =
          response.body['status'] === String(response.status) && typeof response.body.detail === 'string';
        if (response.status >= 500 || (response.status >= 400 && !isError))
          wrong.push(`${method} ${url} ${name} → ${response.status}`);
      }
    expect(wrong).toEqual([]);
  },
);
