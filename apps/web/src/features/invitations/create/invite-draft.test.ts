import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  addToDraft,
  createDraftRows,
  emptyDraft,
  readInviteDraft,
  mergeRows,
  writeInviteDraft,
  type InviteDraft,
} from './invite-draft.ts';
import { plainList } from './import/list-columns.ts';

beforeEach(() => {
  const items = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  });
});

const ada = { email: 'ada@example.com', name: 'Ada' };
const bob = { email: 'bob@example.com', name: '' };
const cleo = { email: 'cleo@example.com', name: 'Cleo' };
const again = { ...cleo, role: 'member', message: '' } as const;

const values = { ...emptyDraft.values, people: [ada, bob] };
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
    expect(readInviteDraft()?.values.people).toEqual([ada, bob, cleo]);
  });

  test('addToDraft does not duplicate a recipient of the draft (K2)', () => {
    writeInviteDraft(checked);
    addToDraft(again);
    addToDraft({ ...again, email: 'Cleo@Example.com' });
    expect(readInviteDraft()?.values.people).toEqual([ada, bob, cleo]);
  });

  test('addToDraft preserves the rows that were corrected or removed in the review (K2)', () => {
    const rows = checked.rows.map((row) =>
      row.email === ada.email ? { ...row, email: 'ada@example.org' } : { ...row, out: true },
    );
    writeInviteDraft({ ...checked, rows });
    addToDraft(again);
    expect(readInviteDraft()?.values.people).toEqual([{ ...ada, email: 'ada@example.org' }, cleo]);
  });

  test('addToDraft preserves corrections as a list if chips cannot represent them (K2)', () => {
    writeInviteDraft({ ...checked, rows: checked.rows.map((row) => ({ ...row, role: 'admin' })) });
    addToDraft(again);
    expect(readInviteDraft()?.values.people).toEqual([cleo]);
    expect(readInviteDraft()?.lists.flatMap(({ entries }) => entries)).toMatchObject([
      { ...ada, role: 'admin' },
      { ...bob, role: 'admin' },
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
      people: [cleo],
      role: 'admin',
      message: 'Welcome back',
    });
  });

  test('corrections and removals remain when a list is read again (K2)', () => {
    const listOf = (...names: string[]) => ({
      ...plainList(names.map((name, index) => ({ email: `${index}@example.com`, name, row: index + 2 }))),
      id: 'list',
      title: 'list.csv',
    });
    const before = { values, lists: [listOf('Jšrg', 'Gnter', 'Anna')] };
    const rows = createDraftRows(before).map((row) => {
      if (row.name === 'Gnter') return { ...row, name: 'Günter B.' };
      return row.name === 'Anna' || row.email === bob.email ? { ...row, out: true } : row;
    });
    const after = { values, lists: [listOf('Jörg', 'Günter', 'Anna')] };
    expect(mergeRows(rows, before, after).map(({ name, out }) => [name, out])).toEqual([
      ['Ada', false],
      ['', true],
      ['Jörg', false],
      ['Günter B.', false],
      ['Anna', true],
    ]);
  });
});
