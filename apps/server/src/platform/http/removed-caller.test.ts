/** Callers who are removed between their authorization and the statement of their request. */
import { removePerson } from '@vestibule/contract/people';
import { changePreferences } from '@vestibule/contract/profile/me';
import { createView, saveGridState } from '@vestibule/contract/views';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outsideTransaction } from '../database/database.ts';
import { createTestApp, type TestApp, type TestPerson } from '../../test/test-app.ts';

let t: TestApp;
/** Second application, which removes the person right before the statement that starts with `before`. */
let removing: TestApp;
let admin: TestPerson;
const removal = { before: '', personId: '' };
beforeAll(async () => {
  t = await createTestApp();
  admin = await t.join('admin@example.com', 'admin');
  const remove = async (text: string) => {
    if (text.startsWith(removal.before))
      await outsideTransaction(() =>
        t.call(removePerson, { token: admin.token, params: { personId: removal.personId } }),
      );
  };
  removing = await createTestApp({
    sharedWith: t,
    wrapDatabase: (database) => ({
      ...database,
      query: (config) => remove(config.text).then(() => database.query(config)),
      transaction: (work) =>
        database.transaction((transaction) =>
          work({ query: (config) => remove(config.text).then(() => transaction.query(config)) }),
        ),
    }),
  });
});
afterAll(async () => {
  await removing.close();
  await t.close();
});

const params = { grid: 'people' } as const;

describe('a caller who is removed during a request', () => {
  test.each([
    {
      what: 'a view is saved',
      before: 'select from people where id',
      call: (token: string) =>
        removing.call(createView, { token, params, body: { name: 'Mine', state: {} } }),
    },
    {
      what: 'columns are saved',
      before: 'insert into grid_states',
      call: (token: string) => removing.call(saveGridState, { token, params, body: { state: {} } }),
    },
    {
      what: 'a language is chosen',
      before: 'update people set theme',
      call: (token: string) => removing.call(changePreferences, { token, body: { language: 'de' } }),
    },
  ])('gets 403 when $what', async ({ what, before, call }) => {
    const { id, token } = await t.join(`${what.replaceAll(' ', '-')}@example.com`);
    Object.assign(removal, { before, personId: id });
    expect(await call(token)).toMatchObject({ status: 403, body: { code: 'person.not_invited' } });
  });
});
