import { expect, test } from 'vitest';
import { actionLabel, formatChanges, entrySentence, readDetail, targetLabel } from './activity-texts.ts';

test('readDetail returns each changed field with its values before and after', () => {
  expect(
    readDetail({
      before: { role: 'member', status: 'active' },
      after: { role: 'admin', status: 'active' },
      token: { id: '1', name: 'CI' },
    }),
  ).toEqual({ changes: [{ field: 'Role', before: 'Member', after: 'Administrator' }], others: [] });
});

test('readDetail returns all fields of a removed target', () => {
  expect(readDetail({ before: { role: 'member', status: 'active' } }).changes).toEqual([
    { field: 'Role', before: 'Member', after: '–' },
    { field: 'Status', before: 'Active', after: '–' },
  ]);
});

test('readDetail formats single values, lists and nested objects', () => {
  expect(readDetail({ before: 'a@example.com', after: 'b@example.com' }).changes).toEqual([
    { field: 'Value', before: 'a@example.com', after: 'b@example.com' },
  ]);
  expect(
    readDetail({
      expiresAt: 'then',
      scopes: ['a', 'b'],
      none: null,
      personId: 'x',
      rows: 3,
      filters: [{ column: 'x' }],
    }).others,
  ).toEqual([
    { name: 'Expires', value: 'then' },
    { name: 'Scopes', value: 'a, b' },
    { name: 'Rows', value: '3' },
    { name: 'Filters', value: 'Column: x' },
  ]);
});

test.each([
  [
    { before: { role: 'member', status: 'active' }, after: { role: 'admin', status: 'active' } },
    ': Member → Administrator',
  ],
  [{ before: { company: '' }, after: { company: 'Lindenhof' } }, ': – → Lindenhof'],
  [{ from: 'a@example.com', to: 'b@example.com' }, ': a@example.com → b@example.com'],
  [
    { before: { role: 'member', name: 'A' }, after: { role: 'admin', name: 'B' } },
    ': Role: Member → Administrator; Name: A → B',
  ],
  [
    { files: 2, before: { owner: 'a@example.com' }, after: { owner: 'b@example.com' } },
    ': a@example.com → b@example.com',
  ],
  [{ before: { role: 'member', status: 'active' }, files: { count: 2 } }, ''],
  [{ before: {}, after: {} }, ''],
  [{ role: 'member', personId: 'x' }, ''],
])('formatChanges formats %j as "%s"', (detail, words) => {
  expect(formatChanges(detail)).toBe(words);
});

test('formatChanges formats times for the reader', () => {
  const detail = {
    before: { expiresAt: '2026-11-21T08:00:00.000Z' },
    after: { expiresAt: '2026-12-24T08:00:00.000Z' },
  };
  expect(formatChanges(detail)).toMatch(/^: .*21.* → .*24/);
  expect(formatChanges(detail)).not.toContain('T08');
});

test('entrySentence names the target, unless it is the person whose timeline is shown', () => {
  const entry = { action: 'person.disabled', target: 'b@example.com', targetType: 'person', targetId: '1' };
  const known = { ...entry, targetPerson: { id: '1', displayName: 'Bob Example' }, detail: {} };
  expect(entrySentence(known)).toBe('Disabled Bob Example');
  expect(entrySentence({ ...known, targetPerson: null })).toBe('Disabled b@example.com');
  expect(entrySentence(known, 'b@example.com')).toBe('Disabled');
});

test('actionLabel falls back to the name of the action', () => {
  expect(actionLabel('person.disabled')).toBe('Disabled');
  expect(actionLabel('order.sent_back')).toBe('Order sent back');
});

test.each([
  ['1 invitations', 'invitation_batch', 'x', '1 invitation'],
  ['20 invitations', 'invitation_batch', 'x', '20 invitations'],
  ['20 invitations', 'person', 'x', '20 invitations'],
  ['an older name', 'settings', 'mailLanguage', 'Language of e-mails'],
  ['Colour of the moon', 'settings', 'moonColour', 'Colour of the moon'],
])('targetLabel translates "%s" of type %s', (target, targetType, targetId, words) => {
  expect(targetLabel({ target, targetType, targetId })).toBe(words);
});

test('readDetail names the organization, and that an administrator of the site acted in it', () => {
  const organization = { id: '1', name: 'Acme' };
  expect(readDetail({ organization }).others).toEqual([{ name: 'Organization', value: 'Acme' }]);
  expect(readDetail({ organization: { ...organization, asSiteAdministrator: true } }).others).toEqual([
    { name: 'Organization', value: 'Acme (as an administrator of this site)' },
  ]);
});

test('readDetail describes who may use an application, without ids', () => {
  const access = [
    { kind: 'everyone' },
    { kind: 'siteRole', role: 'admin' },
    { kind: 'person', personId: '1' },
  ];
  expect(readDetail({ access }).others).toEqual([
    { name: 'Who may use it', value: 'Everyone, A role of this site; Role: Administrator, A person' },
  ]);
});
