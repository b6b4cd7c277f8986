/** Programs that open applications with a personal access token. */
import { deleteApplication } from '@vestibule/contract/applications';
import { listPeople } from '@vestibule/contract/people';
import { createToken, listTokens, revokeToken, type TokenScope } from '@vestibule/contract/profile/tokens';
import { expect, test } from 'vitest';
import { dayMs } from '../../platform/time-units.ts';
import { closeAfterTests } from '../../test/test-close.ts';
import { askProxy, createApplicationSite } from './test-applications.ts';

const site = closeAfterTests(await createApplicationSite());
const { t, admin, register } = site;

const create = (...scopes: TokenScope[]) =>
  t.callAs(admin, createToken, { body: { name: 'backup', scopes, days: 1 } });
const open = (address: string, token: string, path = '/forward-auth') =>
  askProxy(t, address, { authorization: `Bearer ${token}`, 'x-forwarded-method': 'POST' }, { path });
const codeOf = (response: { json: () => unknown }) => (response.json() as { code?: string }).code;

test('a token with the scope of an application opens it, and nothing else', async () => {
  const [one, two] = [await register(), await register()];
  const { token, details } = (await create(`application:${one.id}`)).body;
  expect(details.scopes).toEqual([`application:${one.id}`]);
  const response = await open(one.address, token);
  expect([response.statusCode, response.headers['remote-user']]).toEqual([200, admin.email]);
  const other = await open(two.address, token);
  expect([other.statusCode, codeOf(other)]).toEqual([403, 'token.scope_missing']);
  expect((await open(two.address, token, '/forward-auth/optional')).headers['remote-user']).toBe('');
  expect((await t.call(listPeople, { token })).status).toBe(403);
  const { rows } = (await t.callAs(admin, listTokens)).body;
  expect(rows.find(({ id }) => id === details.id)?.lastUsedAt).not.toBeNull();
});

const basic = (name: string, password: string) =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

test('a token as the password of Basic opens the application, for calendar apps and git', async () => {
  const { address, id } = await register();
  const { token } = (await create(`application:${id}`)).body;
  const ask = (authorization: string) =>
    askProxy(t, address, { authorization, 'x-forwarded-method': 'PROPFIND' });
  for (const name of ['', admin.email, 'Änne'])
    expect((await ask(basic(name, token))).headers['remote-user']).toBe(admin.email);
  const wrong = await ask(basic('ann', `${token}x`));
  expect([wrong.statusCode, wrong.headers['www-authenticate']]).toEqual([
    401,
    'Basic realm="Access token as the password", charset="UTF-8"',
  ]);
  for (const other of [basic('ann', 'secret'), basic(token, ''), 'Basic', 'Basic =', `Basic ${token}`])
    expect((await ask(other)).statusCode).toBe(401);
});

test('programs are asked for a password, pages and WebSockets are not', async () => {
  const { address } = await register();
  const challengeFor = async (headers: Record<string, string>) =>
    (await askProxy(t, address, { accept: '*/*', ...headers })).headers['www-authenticate'];
  expect(await challengeFor({})).toMatch(/^Basic /);
  for (const authorization of [basic('ann', 'secret'), basic('ann', `vst_${'a'.repeat(43)}`)])
    expect(await challengeFor({ accept: 'text/html', authorization })).toMatch(/^Basic /);
  expect(await challengeFor({ 'sec-fetch-mode': 'cors' })).toBe('Bearer');
  expect(await challengeFor({ upgrade: 'websocket' })).toBe('Bearer');
});

test('a token with scopes of the API opens no application', async () => {
  const { address } = await register();
  const { token } = (await create('people:read')).body;
  expect((await open(address, token)).statusCode).toBe(403);
});

test('the owner needs access to the application', async () => {
  const { address, id } = await register([]);
  const { token } = (await create(`application:${id}`)).body;
  const response = await open(address, token);
  expect([response.statusCode, codeOf(response)]).toEqual([403, 'application.no_access']);
});

test('a token of the application itself does not replace the sign-in', async () => {
  const { address } = await register();
  const cookie = (await site.signedIn(admin, address)).cookieOf(new URL(address).host);
  for (const authorization of ['Bearer glsa_x', 'Bearer', 'Bearer null', 'null', 'Token', ''])
    expect((await askProxy(t, address, { authorization, cookie })).statusCode).toBe(200);
  // Such as the application's own name and password.
  const own = { authorization: basic('ann', 'secret'), cookie };
  expect((await askProxy(t, address, own)).statusCode).toBe(200);
  expect((await askProxy(t, address, { authorization: 'Bearer glsa_x' })).statusCode).toBe(401);
});

test.each([
  [['application:0192f0c1-2345-7abc-8def-0123456789ab'], 'token.application_unknown'],
  [['application:x'], 'request.invalid'],
  [['ID', 'people:read'], 'request.invalid'],
])('a token with the scopes %j is not created', async (scopes, code) => {
  const { id } = await register();
  const response = await create(...scopes.map((scope) => scope.replace('ID', `application:${id}`)));
  expect((response.body as { code?: string }).code).toBe(code);
  const removed = await register();
  await t.callAs(admin, deleteApplication, { params: { applicationId: removed.id } });
  expect(((await create(`application:${removed.id}`)).body as { code?: string }).code).toBe(
    'token.application_unknown',
  );
});

test('a revoked or expired token is refused with 401, also with a valid cookie', async () => {
  const { address, id } = await register();
  const requireRefusal = async (token: string) => {
    const cookie = (await site.signedIn(admin, address)).cookieOf(new URL(address).host);
    const response = await askProxy(t, address, { authorization: `Bearer ${token}`, cookie });
    expect([response.statusCode, codeOf(response)]).toEqual([401, 'token.invalid']);
  };
  const revoked = (await create(`application:${id}`)).body;
  const expired = (await create(`application:${id}`)).body;
  await t.callAs(admin, revokeToken, { params: { tokenId: revoked.details.id } });
  await requireRefusal(revoked.token);
  t.clock.advance(dayMs);
  await requireRefusal(expired.token);
});
