import { expect, test } from 'vitest';
import { dashboard, safePath } from './return-url.ts';

test.each([
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/layout\\..\\..\\evil.example',
  'https://evil.example/layout/people',
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,hello',
  '/%2f%2fevil.example',
  '/layout/%2f%2fevil.example',
  '/layout/%5c%5cevil.example',
  '/layout/%0d%0aset-cookie:a=b',
  '/layout/..//evil.example',
  '/layout/../error',
  '/layout\t/x',
  '/layout /x',
  '/layoutx/y',
  '/error',
  '/signup?i=abc',
  '/',
  '',
  `/layout/${'x'.repeat(2048)}`,
])('safePath replaces %j with the dashboard (C7, security 28)', (url) => {
  expect(safePath(url)).toBe(dashboard);
});

test.each([
  '/layout/people',
  '/layout/people?search=a%2Fb&sort=email#row-3',
  '/attachment',
  '/attachment?file=1',
  '/layout?next=https://evil.example',
])('safePath returns %j unchanged', (url) => {
  expect(safePath(url)).toBe(url);
});
