import { listActivity } from '@vestibule/contract/activity';
import { changeRole, removePerson } from '@vestibule/contract/people';
import { downloadMyData } from '@vestibule/contract/profile';
import {
  changeView,
  createView,
  deleteView,
  getGrid,
  saveGridState,
  viewStateMaximumBytes,
} from '@vestibule/contract/views';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTestApp, type TestPerson } from '../../test/test-app.ts';
import { withRefusedWrites } from '../../test/database/test-faults.ts';
import { closeAfterTests } from '../../test/test-close.ts';

let ann: TestPerson;
let bob: TestPerson;
let number = 0;
const t = closeAfterTests(await createTestApp());
beforeEach(async () => {
  number += 1;
  ann = await t.join(`ann-${number}@example.com`, 'admin');
  bob = await t.join(`bob-${number}@example.com`, 'admin');
  await t.select('delete from grid_views');
});

const params = { grid: 'people' } as const;
const state = { columns: ['email'], filters: [{ column: 'email', is: 'contains', text: 'a' }] };
const viewsOf = async ({ token }: TestPerson) => (await t.call(getGrid, { token, params })).body.views;
const save = async ({ token }: TestPerson, shared: boolean, name = 'Mine') =>
  (await t.call(createView, { token, params, body: { name, shared, state } })).body;
const actions = async () => {
  const { body } = await t.callAs(ann, listActivity, {
    query: { filters: JSON.stringify([{ column: 'action', is: 'contains', text: 'view.' }]) },
  });
  return body.rows.map(({ action }) => action);
};

describe('the state of a grid', () => {
  test('is stored per person and grid', async () => {
    const { token } = ann;
    expect((await t.call(getGrid, { token, params })).body).toEqual({
      state: null,
      views: [],
      mayShare: true,
    });
    await t.call(saveGridState, { token, params, body: { state: { width: 1 } } });
    await t.call(saveGridState, { token, params, body: { state: { width: 2 } } });
    expect((await t.call(getGrid, { token, params })).body.state).toEqual({ width: 2 });
    expect((await t.call(getGrid, { token, params: { grid: 'activity' } })).body.state).toBeNull();
    expect((await t.callAs(bob, getGrid, { params })).body.state).toBeNull();
  });
});

describe('a private view', () => {
  test('is visible to its owner only; others get the same 404 as for an unknown id (security 14)', async () => {
    const view = await save(ann, false);
    expect(view).toMatchObject({ name: 'Mine', own: true, shared: false, owner: ann.email, state });
    expect(await viewsOf(ann)).toEqual([view]);
    expect(await viewsOf(bob)).toEqual([]);
    const { token } = bob;
    for (const viewId of [view.id, '0192f0c1-2345-7abc-8def-0123456789ab']) {
      const othersView = { token, params: { ...params, viewId } };
      for (const response of [
        await t.call(changeView, { ...othersView, body: { name: 'Taken' } }),
        await t.call(deleteView, othersView),
      ])
        expect(response).toMatchObject({ status: 404, body: { code: 'view.not_found' } });
    }
    expect(await viewsOf(ann)).toEqual([view]);
    expect(await actions()).toEqual([]);
  });

  test('can be renamed, overwritten and deleted', async () => {
    const { id: viewId } = await save(ann, false);
    const own = { token: ann.token, params: { ...params, viewId } };
    await t.call(changeView, { ...own, body: { name: 'Renamed' } });
    const { body } = await t.call(changeView, { ...own, body: { state: { columns: [] } } });
    expect(body).toMatchObject({ name: 'Renamed', state: { columns: [] } });
    expect((await t.call(deleteView, own)).body).toEqual({ id: viewId });
    expect(await viewsOf(ann)).toEqual([]);
  });

  test('is not found under another grid', async () => {
    const { id: viewId } = await save(ann, false);
    const elsewhere = { grid: 'activity', viewId } as const;
    expect((await t.callAs(ann, deleteView, { params: elsewhere })).status).toBe(404);
  });

  test('is deleted with its owner, unlike a shared view', async () => {
    await save(bob, false, 'Private');
    await save(bob, true, 'Shared');
    await t.callAs(ann, removePerson, { params: { personId: bob.id } });
    expect(await t.select('select name from grid_views')).toEqual([{ name: 'Shared' }]);
    expect(await viewsOf(ann)).toMatchObject([{ name: 'Shared', own: false }]);
  });
});

describe('a shared view', () => {
  test('is visible to all administrators, who can change and delete it, which is logged', async () => {
    const { id: viewId } = await save(ann, true);
    const shared = { token: bob.token, params: { ...params, viewId } };
    expect(await viewsOf(bob)).toMatchObject([{ id: viewId, own: false, owner: ann.email }]);
    const changed = await t.call(changeView, { ...shared, body: { name: 'Ours' } });
    expect(changed.body.name).toBe('Ours');
    t.clock.advance(1_000);
    const same = await t.call(changeView, { ...shared, body: { name: 'Ours', shared: true, state } });
    expect(same.body).toEqual(changed.body);
    expect((await t.call(deleteView, shared)).status).toBe(200);
    expect((await actions()).slice(0, 3)).toEqual(['view.deleted', 'view.changed', 'view.shared']);
  });

  test('can be made private by its owner only', async () => {
    const { id: viewId } = await save(ann, true);
    const body = { shared: false };
    const rejected = await t.callAs(bob, changeView, { params: { ...params, viewId }, body });
    expect(rejected).toMatchObject({ status: 409, body: { code: 'view.not_yours' } });
    await t.callAs(ann, changeView, { params: { ...params, viewId }, body });
    expect(await viewsOf(bob)).toEqual([]);
    expect((await actions())[0]).toBe('view.unshared');
  });

  test('is not changed if the change cannot be recorded in the audit log (security 50)', async () => {
    const body = { name: 'Shared', shared: true, state };
    const create = () => t.callAs(ann, createView, { params, body });
    const response = await withRefusedWrites(t, 'audit_log', create, { when: `new.action like 'view.%'` });
    expect(response.status).toBe(500);
    expect(await viewsOf(ann)).toEqual([]);
  });
});

describe('a member', () => {
  const files = { grid: 'attachments' } as const;

  test('can save a grid state and private views', async () => {
    const { token } = await t.join(`member-${number}@example.com`);
    await t.call(saveGridState, { token, params: files, body: { state: { width: 1 } } });
    const { body: view } = await t.call(createView, { token, params: files, body: { name: 'Mine', state } });
    expect((await t.call(getGrid, { token, params: files })).body).toEqual({
      state: { width: 1 },
      views: [view],
      mayShare: false,
    });
    const own = { token, params: { ...files, viewId: view.id } };
    expect((await t.call(changeView, { ...own, body: { name: 'Renamed' } })).body.name).toBe('Renamed');
    expect((await t.call(deleteView, own)).status).toBe(200);
  });

  test('cannot see, create, change or delete shared views (F3, security 13)', async () => {
    const { token } = await t.join(`member-${number}@example.com`);
    const shared = await save(ann, true);
    expect((await t.call(getGrid, { token, params })).body.views).toEqual([]);
    const othersView = { token, params: { ...params, viewId: shared.id } };
    expect((await t.call(changeView, { ...othersView, body: { name: 'Taken' } })).status).toBe(404);
    expect((await t.call(deleteView, othersView)).status).toBe(404);
    const refused = { status: 403, body: { code: 'view.admins_share' } };
    const body = { name: 'Ours', shared: true, state };
    expect(await t.call(createView, { token, params, body })).toMatchObject(refused);
    const { body: own } = await t.call(createView, { token, params, body: { ...body, shared: false } });
    const ownView = { token, params: { ...params, viewId: own.id } };
    expect(await t.call(changeView, { ...ownView, body: { shared: true } })).toMatchObject(refused);
  });

  test('sees own shared views from before a demotion but cannot change them', async () => {
    const { id: viewId } = await save(bob, true);
    await t.callAs(ann, changeRole, { params: { personId: bob.id }, body: { role: 'member' } });
    expect(await viewsOf(bob)).toMatchObject([{ id: viewId, own: true, shared: true }]);
    const own = { token: bob.token, params: { ...params, viewId } };
    for (const response of [
      await t.call(changeView, { ...own, body: { shared: false } }),
      await t.call(deleteView, own),
    ])
      expect(response).toMatchObject({ status: 403, body: { code: 'view.admins_share' } });
  });
});

describe('createView', () => {
  const attempt = async (body: object) =>
    t.callAs(ann, createView, { params, body: body as { name: string; state: Record<string, unknown> } });

  test('requires a unique name of one line with at most 60 characters', async () => {
    expect((await attempt({ name: ' ', state })).body.fields).toEqual({ name: 'Enter a name.' });
    expect((await attempt({ name: 'x'.repeat(61), state })).status).toBe(400);
    expect((await attempt({ name: 'two\nlines', state })).status).toBe(400);
    await save(ann, false, 'Same');
    expect((await attempt({ name: 'SAME', state })).body.code).toBe('view.name_taken');
    await save(bob, false, 'Same');
  });

  test('limits the state to 8 KB', async () => {
    const fitting = 'x'.repeat(viewStateMaximumBytes - '{"x":""}'.length);
    expect((await attempt({ name: 'Large', state: { x: fitting } })).status).toBe(200);
    expect(
      (await attempt({ name: 'Too large', state: { x: `${fitting}x` } })).body.fields?.['state'],
    ).toMatch('8 kB');
    expect((await attempt({ name: 'Umlauts', state: { x: 'ü'.repeat(5_000) } })).status).toBe(400);
  });

  test.each([
    ['an array', []],
    ['a text', 'x'],
    ['nothing', null],
  ])('returns 400 for %s as the state', async (_, wrong) => {
    expect((await attempt({ name: 'Wrong', state: wrong })).status).toBe(400);
  });

  test('preserves unusual characters in the state', async () => {
    const odd = { 'a\0b': '\0', half: '\ud800', constructor_: 1, ключ: ['🦜'] };
    expect((await attempt({ name: 'Odd', state: odd })).body.state).toEqual(odd);
    await t.callAs(ann, saveGridState, { params, body: { state: odd } });
    const { body } = await t.callAs(ann, downloadMyData);
    expect(body).toMatchObject({ views: [{ state: odd }], lists: [{ state: odd }] });
  });

  test('limits views to 100 per grid and person', async () => {
    await t.select`
      insert into grid_views (id, grid, name, shared, owner_id, owner_label, state, updated_at)
      select gen_random_uuid(), 'people', 'View ' || n, false, ${ann.id}, '', '{}', now() from generate_series(1, 99) n`;
    expect((await attempt({ name: 'The hundredth', state })).status).toBe(200);
    expect((await attempt({ name: 'One too many', state })).body.code).toBe('view.too_many');
  });
});
