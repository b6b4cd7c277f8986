import { settingRules } from '@vestibule/contract/settings/rules';
import { expect, test } from 'vitest';
import { toInlineText, toText, toValue } from './setting-values.ts';

test('toValue splits domains at any separator and drops a leading @ (K5)', () => {
  const typed = ' example.com, @example.org;\n  example.net\n\n';
  expect(toValue('allowedDomains', typed)).toEqual(['example.com', 'example.org', 'example.net']);
  expect(toValue('allowedDomains', '  ')).toEqual([]);
  expect(toText(['example.com', 'example.org'])).toBe('example.com\nexample.org');
});

test.each(['', ' ', 'seven', '1.5', '-1', '1e3', '0x10', '9'.repeat(40)])(
  'toValue returns an invalid number for %j (K5)',
  (typed) => {
    const result = settingRules.invitationLifetimeDays.safeParse(toValue('invitationLifetimeDays', typed));
    expect(result.error?.issues[0]?.message).toBe('Enter a whole number of days, 1 to 365.');
  },
);

test('toValue trims numbers and texts (K5)', () => {
  expect(toValue('invitationLifetimeDays', ' 14 ')).toBe(14);
  expect(toValue('productName', ' The Gate ')).toBe('The Gate');
  expect([toText(14), toInlineText(14), toInlineText([]), toInlineText(['a.example', 'b.example'])]).toEqual([
    '14',
    '14',
    'none',
    'a.example, b.example',
  ]);
});

test('toValue splits sign-in domains at newlines (M1)', () => {
  expect(toValue('signInDomains', ' example.com acme \n\nexample.org globex open\n')).toEqual([
    'example.com acme',
    'example.org globex open',
  ]);
  expect(toValue('signInDomains', ' ')).toEqual([]);
});
