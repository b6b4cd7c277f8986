/** Every filter of the large lists finds rare rows by an index (U3). */
import { beforeAll, expect, test } from 'vitest';
import type { Filter } from '@vestibule/contract/values';
import { invitationList } from './features/invitations/invitation-store.ts';
import { peopleList } from './features/people/people-store.ts';
import { rowsOf, type Database, type QueryConfig } from './platform/database/database.ts';
import { createListReader } from './platform/lists/list-page.ts';
import type { ListColumn, ListSource } from './platform/lists/list-source.ts';
import { openListDatabase } from './test/database/test-people.ts';

const database = await openListDatabase();
beforeAll(async () => {
  // Enough rows that the planner prefers an index for rare ones.
  await database.query({
    text: `insert into people (id, email, email_canonical, display_name, role, status, joined_at, last_sign_in_at, last_seen_at, invited_by, ways)
           select gen_random_uuid(), n || '@example.com', n || '@example.com', 'Person ' || n, 'member', 'active', now(), now(), now(), 'admin@example.com', 'b2c'
           from generate_series(1, $1::int) n`,
    values: [rows],
  });
  await database.query({
    text: `insert into invitations (id, code_hash, email, email_canonical, name, role, message, status, mail_state, language, created_by,
             created_at, expires_at, mailed_at, opened_at, redeemed_at)
           select gen_random_uuid(), sha256(n::text::bytea), n || '@example.com', n || '@example.com', 'Person ' || n, 'member', '', 'redeemed',
             'sent', 'en', 'admin@example.com', now(), now() + interval '7 days', now(), now(), now()
           from generate_series(1, $1::int) n`,
    values: [rows],
  });
  await database.query({ text: 'vacuum analyze people' });
  await database.query({ text: 'vacuum analyze invitations' });
});

const rows = 5_000;
const id = '00000000-0000-0000-0000-000000000000';

function rareFilters(column: string, { kind, values }: ListColumn): Filter[] {
  // Most invitations have no batch, and none has an organization on a site without organizations.
  const filters: Filter[] = kind === 'id' ? [] : [{ column, is: 'empty' }];
  if (kind === 'date') filters.push({ column, is: 'between', to: '2001-01-01T00:00:00Z' });
  else filters.push({ column, is: 'oneOf', values: values ? Object.keys(values).slice(0, 1) : [id] });
  if (kind === 'text') filters.push({ column, is: 'contains', text: 'rare' });
  return filters;
}

const cases = [peopleList, invitationList].flatMap((source: ListSource) =>
  Object.entries(source.columns).flatMap(([name, column]) =>
    rareFilters(name, column).map((filter) => ({
      name: `${source.table}: ${name} ${filter.is}`,
      source,
      filter,
    })),
  ),
);

test.each(cases)('$name is counted by an index (U3)', async ({ source, filter }) => {
  const statements: QueryConfig[] = [];
  const query: Database['query'] = (config) => {
    statements.push(config);
    return database.query(config);
  };
  await createListReader({ query }, source, Date.now)
    .in('site')
    .page({ part: 'total', offset: 0, limit: 1, direction: 'asc', filters: [filter] });
  for (const { text, values = [] } of statements) {
    const plan = await database.transaction(async (transaction) => {
      await transaction.query({ text: 'set local enable_seqscan = off' });
      return rowsOf<{ 'QUERY PLAN': string }>(transaction, `explain ${text}`, values);
    });
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines).not.toContain('Seq Scan');
    // Without an index condition, the index is read as a whole. No row matches an empty set of values.
    expect(lines).toMatch(/Index Cond|distinct_values|One-Time Filter: false/);
  }
});
