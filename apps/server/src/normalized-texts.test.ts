/** Every incoming text is stored and compared in Unicode normalization form C. */
import { listActivity } from '@vestibule/contract/activity';
import { invite, listInvitations } from '@vestibule/contract/invitations';
import { checkInvitations } from '@vestibule/contract/invitations/batches';
import { afterAll, expect, test } from 'vitest';
import { createTestScim } from './features/scim/test-scim.ts';
import { nameOf } from './features/scim/protocol/user-attributes.ts';
import { displayName } from './features/auth/provision-user.ts';
import { createPattern } from './platform/database/replace-everywhere.ts';
import { contractRoutes } from './test/test-routes.ts';
import { findUnchangedTexts } from './test/extensions/test-texts.ts';

const composed = 'Caf\u00e9';
const decomposed = 'Cafe\u0301';

const d = await createTestScim();
const t = d.t;
const { token } = d.admin;
afterAll(() => d.close());

/**
 * Fields without human text: identifiers, names of permissions, tokens, codes, page paths and authenticator values; addresses that are parsed later (`address`),
 * and JSON whose parts are normalized when it is parsed (`filters`) or returned (`state`).
 */
const opaque = new Set([
  'filters',
  'state',
  'address',
  'way',
  'returnTo',
  'invitation',
  'attempt',
  'code',
  'key',
  'token',
  'authenticatorAttachment',
  'clientExtensionResults',
  'transports',
  'permissions',
]);

test('every text in a body or query is normalized or listed as opaque', () => {
  const unchanged = contractRoutes.flatMap(findUnchangedTexts);
  expect(unchanged.filter((name) => !opaque.has(name))).toEqual([]);
});

test.each([
  ['NFC', composed, decomposed],
  ['NFD', decomposed, composed],
])('a name in %s is found by searches and filters in both spellings', async (form, spelling, other) => {
  const email = `${form.toLowerCase()}@example.com`;
  const { status } = await t.call(invite, {
    token,
    body: { email, name: `${spelling} ${form}`, role: 'member' },
  });
  expect(status).toBe(200);
  for (const text of [spelling, other]) {
    const filters = JSON.stringify([{ column: 'name', is: 'contains', text: `${text} ${form}` }]);
    for (const query of [{ search: `${text} ${form}` }, { search: text.slice(0, 3) }, { filters }]) {
      const { body } = await t.call(listInvitations, { token, query });
      expect(body.rows.map((row) => row.email)).toContain(email);
      expect(body.rows.map((row) => row.name)).toContain(`${composed} ${form}`);
    }
  }
});

test('two rows of a list whose addresses differ only in the spelling of the domain are duplicates', async () => {
  const rows = ['ann@Bücher.example', 'ann@Bu\u0308cher.example'].map((email) => ({ email }));
  const { body } = await t.call(checkInvitations, { token, body: { rows } });
  expect(body.rows.map(({ verdict, firstRow }) => ({ verdict, firstRow }))).toMatchObject([
    { firstRow: null },
    { verdict: 'duplicate', firstRow: 1 },
  ]);
});

test('the name from a provider is normalized', () => {
  expect(displayName({ name: decomposed })).toBe(composed);
});

test('long names from a provider or a directory are shortened without splitting a character', () => {
  expect(displayName({ name: `${'a'.repeat(99)}😀` })).toBe('a'.repeat(99));
  const unset = { externalId: null, formattedName: null, givenName: null, familyName: null, email: null };
  const user = { ...unset, userName: 'ann', active: null, displayName: `${'a'.repeat(99)}😀` };
  expect(nameOf(user)).toBe('a'.repeat(99));
});

test('both spellings of a name identify the same user or group of a directory', async () => {
  const { id } = await d.create('scim@example.com', { displayName: decomposed });
  const users = (name: string) =>
    d.scim('GET', `/Users?filter=${encodeURIComponent(`displayName eq "${name}"`)}`);
  for (const name of [composed, decomposed])
    expect((await users(name)).body.Resources).toMatchObject([{ id, displayName: composed }]);
  expect((await d.scim('POST', '/Groups', { displayName: decomposed })).status).toBe(201);
  expect((await d.scim('POST', '/Groups', { displayName: composed })).status).toBe(409);
});

test('activity entries from before the normalization are found in both spellings', async () => {
  await t.select`
    insert into audit_log (action, actor_label, target_type, target_id, target_label, address, request_id, detail)
    values ('view.created', 'system', 'view', '1', ${`${decomposed} sealed`}, '', '', '{}')`;
  const filter = (is: object) => ({ filters: JSON.stringify([{ column: 'target', ...is }]) });
  for (const text of [composed, decomposed])
    for (const query of [
      { search: `${text} sealed` },
      { search: text.slice(0, 4) },
      filter({ is: 'contains', text: `${text} sealed` }),
      filter({ is: 'oneOf', values: [`${text} sealed`] }),
    ]) {
      const { body } = await t.call(listActivity, { token, query });
      expect(body.rows.map(({ target }) => target)).toContain(`${decomposed} sealed`);
    }
});

test('the pattern for an erased name matches both spellings of the name', () => {
  const pattern = createPattern([`Ann ${composed}`], 'name');
  expect(`by Ann ${decomposed}, by Ann ${composed}`.replaceAll(pattern?.javascript ?? '', '-')).toBe(
    'by -, by -',
  );
});
