import { expect, test } from 'vitest';
import { signInText } from './sign-in-text.ts';

test.each([
  ['Firefox', 'Windows', 'Firefox on Windows, from 203.0.113.7'],
  ['Firefox', null, 'Firefox, from 203.0.113.7'],
  [null, 'Linux', 'Another program on Linux, from 203.0.113.7'],
  [null, null, 'Another program, from 203.0.113.7'],
])('signInText describes the browser %s on the system %s as "%s" (K3)', (browser, system, text) => {
  expect(signInText({ browser, system, address: '203.0.113.7' })).toBe(text);
});
