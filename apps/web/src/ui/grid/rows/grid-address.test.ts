import { expect, test } from 'vitest';
import { addressOf, askedBy, readGridAddress } from './grid-address.ts';

const usual = { column: 'createdAt', direction: 'desc' } as const;

test('an address says tab, search, order and filters, and is read back as it was (J2)', () => {
  const asked = {
    tab: 'expiring',
    search: 'ann',
    order: { column: 'email', direction: 'desc' },
    filters: [{ column: 'expiresAt', is: 'days', from: 0, to: 6 }],
  } as const;
  const address = addressOf({ ...asked, filters: [...asked.filters] }, usual);
  expect(address).toMatchObject({ tab: 'expiring', q: 'ann', sort: '-email' });
  expect(askedBy(readGridAddress(address), usual)).toEqual(asked);
  expect(askedBy({ sort: 'email' }, usual).order).toEqual({ column: 'email', direction: 'asc' });
});

test('what a screen shows by itself is not in its address (J2)', () => {
  const nothing = addressOf({ tab: undefined, search: ' ', filters: [], order: usual }, usual);
  expect(Object.values(nothing)).toEqual([undefined, undefined, undefined, undefined]);
  expect(askedBy({}, usual)).toEqual({ tab: undefined, search: '', filters: [], order: usual });
});

test('what means nothing in an address is left out (J2)', () => {
  const wrong = { tab: '<b>', q: {}, sort: 'a;b', filters: [{ column: 'x' }] };
  // Named all the same: else it would stay as it was written.
  const nothing = { tab: undefined, q: undefined, sort: undefined, filters: undefined };
  expect(readGridAddress(wrong)).toStrictEqual(nothing);
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
