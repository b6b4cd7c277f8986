/** Statements of version 1.0.0, which runs during a rolling update, on the views with the earlier table names (migration 043). */
import { afterAll, describe, expect, test } from 'vitest';
import { createTestApp } from '../../test/test-app.ts';
import { newId } from './new-id.ts';

const t = await createTestApp();
const { id: personId } = await t.join('ann@example.com');
afterAll(() => t.close());

const run = async <Row>(text: string, values: unknown[] = []) =>
  (await t.database.query<Row>({ text, values })).rows;

describe('version 1.0.0', () => {
  test('creates one open identity migration per person, and records when it was reminded of, completed and canceled', async () => {
    const insert = () =>
      run<{ id: string }>(
        `insert into moves (id, person_id, email, display_name, way, code_hash, made_by, made_at, expires_at, mail)
           select $1, id, email, display_name, 'acme', $2, id, now(), now(), 'queued' from people where id = $3
           on conflict (person_id) where moved_at is null and undone_at is null do nothing returning id`,
        [newId(), Buffer.from(newId()), personId],
      );
    const [created] = await insert();
    expect(await insert()).toEqual([]);
    expect(await run('select id from moves where id = $1 for no key update', [created?.id])).toHaveLength(1);
    const changed = await run(
      `update moves set reminded_at = now(), moved_at = now(), undone_at = now() where id = $1 and coalesce(reminded_at, made_at) <= now()
         returning id`,
      [created?.id],
    );
    expect(changed).toEqual([created]);
    expect(await insert()).toHaveLength(1);
    expect(
      await t.select`select completed_at, canceled_at from identity_migrations where id = ${created?.id}`,
    ).toEqual([{ completed_at: expect.any(Date), canceled_at: expect.any(Date) }]);
  });

  test('records results of sign-in methods', async () => {
    const record = () =>
      run(`insert into sign_in_ways (way, last_failure_at, last_failure_code) values ('acme', now(), 'a')
             on conflict (way) do update set last_failure_at = excluded.last_failure_at,
               last_failure_code = coalesce(excluded.last_failure_code, sign_in_ways.last_failure_code)`);
    await record();
    await record();
    expect(await t.select(`select last_failure_code from sign_in_method_status where way = 'acme'`)).toEqual([
      { last_failure_code: 'a' },
    ]);
  });

  test('adds sign-ins to the buffer and removes them', async () => {
    await run('insert into noted_sign_ins (person_id, at) select distinct $1::uuid, now()', [personId]);
    expect(
      await run(
        'delete from noted_sign_ins where person_id = any(array(select person_id from noted_sign_ins)) returning person_id',
      ),
    ).toEqual([{ person_id: personId }]);
  });

  test('advances the cursor of webhooks', async () => {
    expect(
      await run(
        `with told as (select expired_until from webhook_clock for update),
           moved as (update webhook_clock set expired_until = now() from told returning 1 as one)
         select one from moved`,
      ),
    ).toEqual([{ one: 1 }]);
  });

  test('uses the onboarding state, archives and deleted identities', async () => {
    await run('update first_day set mail_tested_at = now() where mail_tested_at is null');
    await run(
      `insert into keeping_archives (kind, number, row_count, file, archived_at) values ('sign_ins', 1, 0, 'a', now())`,
    );
    await run('update keeping_archives set row_count = 1');
    expect(await run('select from removed_identities')).toEqual([]);
    expect(await t.select('select mail_tested_at, row_count from onboarding, retention_archives')).toEqual([
      { mail_tested_at: expect.any(Date), row_count: 1 },
    ]);
  });
});
