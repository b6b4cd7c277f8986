import { settingRules } from '@vestibule/contract/settings/rules';
import { expect, test } from 'vitest';
import { shortly, toText, toValue } from './setting-text.ts';

test('domains may be typed in any mix, with an @ in front or without (K5)', () => {
  const typed = ' example.com, @example.org;\n  example.net\n\n';
  expect(toValue('allowedDomains', typed)).toEqual(['example.com', 'example.org', 'example.net']);
  expect(toValue('allowedDomains', '  ')).toEqual([]);
  expect(toText(['example.com', 'example.org'])).toBe('example.com\nexample.org');
});

test.each(['', ' ', 'seven', '1.5', '-1', '1e3', '0x10', '9'.repeat(40)])(
  '%j is no number of days, and is told so (K5)',
  (typed) => {
    const result = settingRules.invitationLifetimeDays.safeParse(toValue('invitationLifetimeDays', typed));
    expect(result.error?.issues[0]?.message).toBe('Enter a whole number of days, 1 to 365.');
  },
);

test('numbers and texts are taken as typed, without the spaces around them (K5)', () => {
  expect(toValue('invitationLifetimeDays', ' 14 ')).toBe(14);
  expect(toValue('productName', ' The Gate ')).toBe('The Gate');
  expect([toText(14), shortly(14), shortly([]), shortly(['a.example', 'b.example'])]).toEqual([
    '14',
    '14',
    'none',
    'a.example, b.example',
  ]);
});

test('what holds for a domain is a line of several words (M1)', () => {
  expect(toValue('signInDomains', ' example.com acme \n\nexample.org globex open\n')).toEqual([
    'example.com acme',
    'example.org globex open',
  ]);
  expect(toValue('signInDomains', ' ')).toEqual([]);
});
