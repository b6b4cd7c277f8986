import { expect, test } from 'vitest';
import { safeReturnUrl, startPage } from './start-authorization.ts';

test.each([
  ['/invitations?search=a&sort=email', '/invitations?search=a&sort=email'],
  ['/layout/open-application?to=%2Fa#part', '/layout/open-application?to=%2Fa#part'],
  ['//evil.example', startPage],
  ['/\\evil.example', startPage],
  ['https://evil.example/', startPage],
  ['javascript:alert(1)', startPage],
  ['/\t/evil.example', startPage],
  ['/attachment?sort=\n', startPage],
  ['/%2f%2fevil.example', startPage],
  ['/%5cevil.example', startPage],
  ['/layout/%5C%5Cevil.example', startPage],
  ['/layout\\..\\..\\evil.example', startPage],
  ['/API/users/me', startPage],
  ['/files/a', startPage],
  ['/signup?i=a', startPage],
  ['/layout/..//evil.example', startPage],
  ['/api/users/me', startPage],
  ['/auth/acme/callback?code=1', startPage],
  ['/login?sign-in=problem', startPage],
  [`/${'a'.repeat(2_000)}`, startPage],
])('for the return URL %j, safeReturnUrl returns %s (security 56)', (requested, expected) => {
  expect(safeReturnUrl(requested, 'https://portal.example.com')).toBe(expected);
});
