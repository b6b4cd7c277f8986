import pg from 'pg';
import { expect, test } from 'vitest';
import { createEmptyDatabase } from '../../test/database/test-database.ts';
import { connectForCopy, digestOf } from './database-copy.ts';

test('the digest of a table starts at the first row, even after another client has read a part of the table (O6)', async () => {
  const database = await createEmptyDatabase();
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  const client = await connectForCopy({ url: database.url, variable: 'DATABASE_URL' }, '');
  try {
    // PostgreSQL starts a scan of a table larger than a quarter of shared_buffers at the position of the previous scan.
    await other.query(
      `create table pages (number int, text text);
       alter table pages alter text set storage plain;
       insert into pages select n, repeat('x', 8000) from generate_series(1, (
         select setting::int / 4 + 500 from pg_settings where name = 'shared_buffers')) n`,
    );
    const digest = () => digestOf(client, { name: 'pages', columns: ['number', 'text'] });
    const before = await digest();
    expect(before.rows).toBeGreaterThan(500);
    await other.query('begin; declare reading cursor for select from pages; fetch 1000 from reading');
    expect(await digest()).toEqual(before);
  } finally {
    await client.end();
    await other.end();
    await database.drop();
  }
});
