import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  addToDraft,
  createDraftRows,
  emptyDraft,
  readInviteDraft,
  writeInviteDraft,
  type InviteDraft,
} from './invite-draft.ts';
import { plainList } from './import/list-columns.ts';

beforeEach(() => {
  const items = new Map<string, string>();
  const sessionStorage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  };
  vi.stubGlobal('window', { sessionStorage });
});
afterEach(() => vi.unstubAllGlobals());

const ada = { email: 'ada@example.com', name: 'Ada' };
const bob = { email: 'bob@example.com', name: '' };
const cleo = { email: 'cleo@example.com', name: 'Cleo' };
const again = { ...cleo, role: 'member', message: '' } as const;

const values = { ...emptyDraft.values, addresses: 'Ada <ada@example.com>\nbob@example.com' };
const checked: InviteDraft = {
  ...emptyDraft,
  values,
  step: 'check',
  rows: createDraftRows({ values, lists: [] }),
};

describe('invite draft', () => {
  test('addToDraft adds a recipient to a draft in review, and the draft must be reviewed again (K2)', () => {
    writeInviteDraft(checked);
    addToDraft(again);
    expect(readInviteDraft()).toMatchObject({ step: 'write', rows: [] });
    expect(readInviteDraft()?.values.addresses).toBe(`${values.addresses}\nCleo <cleo@example.com>`);
  });

  test('addToDraft does not duplicate a recipient of the draft (K2)', () => {
    writeInviteDraft(checked);
    addToDraft(again);
    addToDraft({ ...again, email: 'Cleo@Example.com' });
    expect(readInviteDraft()?.values.addresses).toBe(`${values.addresses}\nCleo <cleo@example.com>`);
  });

  test('addToDraft preserves the rows that were corrected or removed in the review (K2)', () => {
    const rows = checked.rows.map((row) =>
      row.email === ada.email ? { ...row, email: 'ada@example.org' } : { ...row, out: true },
    );
    writeInviteDraft({ ...checked, rows });
    addToDraft(again);
    expect(readInviteDraft()?.values.addresses).toBe('Ada <ada@example.org>\nCleo <cleo@example.com>');
  });

  test('addToDraft preserves the corrected rows of a list with their roles (K2)', () => {
    const list = { ...plainList([{ ...ada, role: 'admin' }, bob]), id: 'list', title: 'list.csv' };
    const draft = { ...checked, values: emptyDraft.values, lists: [list] };
    const rows = createDraftRows(draft).map((row) => ({ ...row, email: `new-${row.email}` }));
    writeInviteDraft({ ...draft, rows });
    addToDraft(again);
    expect(readInviteDraft()?.values.addresses).toBe('Cleo <cleo@example.com>');
    expect(readInviteDraft()?.lists.flatMap(({ entries }) => entries)).toMatchObject([
      { ...ada, email: 'new-ada@example.com', role: 'admin' },
      { ...bob, email: 'new-bob@example.com' },
    ]);
  });

  test('addToDraft does not change a draft that is being sent (K2)', () => {
    const sending: InviteDraft = { ...checked, step: 'sending', key: 'the-key' };
    writeInviteDraft(sending);
    expect(addToDraft(again)).toBe(false);
    expect(readInviteDraft()).toEqual(sending);
  });

  test('addToDraft copies role and message of the invitation if the draft is empty (K2)', () => {
    writeInviteDraft(null);
    const invitation = {
      ...cleo,
      role: 'admin',
      message: 'Welcome back',
      status: 'revoked',
      language: 'de',
    } as const;
    addToDraft(invitation);
    expect(readInviteDraft()?.values).toEqual({
      ...emptyDraft.values,
      addresses: 'Cleo <cleo@example.com>',
      role: 'admin',
      message: 'Welcome back',
    });
  });
});
