import { describe, expect, test } from 'vitest';
import { addressOf, parseListState, readGridAddress } from './grid-address.ts';

const defaultSort = { column: 'createdAt', direction: 'desc' } as const;

describe('grid address', () => {
  test('addressOf and parseListState are inverse for tab, search, order and filters (J2)', () => {
    const state = {
      tab: 'expiring',
      search: 'ann',
      order: { column: 'email', direction: 'desc' },
      filters: [{ column: 'expiresAt', is: 'days', from: 0, to: 6 }],
    } as const;
    const address = addressOf({ ...state, filters: [...state.filters] }, defaultSort);
    expect(address).toMatchObject({ tab: 'expiring', q: 'ann', sort: '-email' });
    expect(parseListState(readGridAddress(address), defaultSort)).toEqual(state);
    expect(parseListState({ sort: 'email' }, defaultSort).order).toEqual({
      column: 'email',
      direction: 'asc',
    });
  });

  test('addressOf omits defaults (J2)', () => {
    const nothing = addressOf({ tab: undefined, search: ' ', filters: [], order: defaultSort }, defaultSort);
    expect(Object.values(nothing)).toEqual([undefined, undefined, undefined, undefined]);
    expect(parseListState({}, defaultSort)).toEqual({
      tab: undefined,
      search: '',
      filters: [],
      order: defaultSort,
    });
  });

  test('readGridAddress drops invalid parameters (J2)', () => {
    const invalid = { tab: '<b>', q: {}, sort: 'a;b', filters: [{ column: 'x' }] };
    // Undefined instead of missing: the router keeps parameters that the result does not name.
    const nothing = { tab: undefined, q: undefined, sort: undefined, filters: undefined };
    expect(readGridAddress(invalid)).toStrictEqual(nothing);
    expect(readGridAddress({ filters: 'all of them' })).toStrictEqual(nothing);
    const between = (from: unknown) =>
      readGridAddress({ filters: [{ column: 'expiresAt', is: 'between', from }] }).filters;
    expect(between('one day')).toBe(undefined);
    expect(between('2026-11-22T08:30:00Z')).toHaveLength(1);
    expect(between(7)).toHaveLength(1);
    expect(readGridAddress({ q: 'ann\u0000\nberg' }).q).toBe('ann berg');
    expect(readGridAddress({ tab: 7, q: 123, sort: '--x' })).toEqual({ q: '123' });
    expect(readGridAddress({ q: 'x'.repeat(500) }).q).toHaveLength(200);
  });
});
