import { expect, test } from 'vitest';
import { preloadHeaders } from './preload-headers.ts';
import { sessionCookie } from './sessions.ts';

const session = `language=de; ${sessionCookie}=${'a'.repeat(43)}`;
const files =
  '/api/attachments?limit=5&filters=%5B%7B%22column%22%3A%22owner%22%2C%22is%22%3A%22oneOf%22%2C%22values%22%3A%5B%22mine%22%2C%22shared%22%5D%7D%5D';

test.each([
  ['/', session, ['/api/config']],
  ['/signup?i=code', session, ['/api/config']],
  ['/layout/dashboard', 'language=de', ['/api/config']],
  ['/layout/people?search=a', session, ['/api/config', '/api/users/me']],
  ['/layout/dashboard?days=7', session, ['/api/config', '/api/users/me', '/api/dashboard', files]],
])('%s with the cookies %s preloads %j', (url, cookie, expected) => {
  expect(preloadHeaders({ url, headers: { cookie } })).toEqual(expected);
});
