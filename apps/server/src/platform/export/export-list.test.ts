/** Exported files as an independent library reads them: content, escaping of formulas, and aborted downloads. */
import { buffer, text } from 'node:stream/consumers';
import readWorkbook from 'read-excel-file/node';
import { beforeEach, describe, expect, test } from 'vitest';
import { createListReader } from '../lists/list-page.ts';
import { openListDatabase } from '../../test/database/test-people.ts';
import { createExportList, type ExportedList, type ExportList } from './export-list.ts';

const now = () => Date.parse('2026-11-21T08:00:00Z');
const caller = {
  id: '0192f0c1-2345-7abc-8def-0123456789ab',
  email: 'admin@example.com',
  displayName: 'Admin',
  isAdmin: true,
};
const call = { caller, origin: { requestId: 'request-1', address: '127.0.0.1' } };
const length = 5_000;
const hostile = ['=1+1', '+1+1', '-A1', '@SUM(A1)', '＝1+1'];
const hostileLater = ['\t=1+1', '\r=1+1', 'a;=1+1'];
const plain = [
  '-1',
  '+49 30 1234',
  'He said "no", then left',
  'two\nlines',
  ' spaces ',
  '_x0041_',
  '<b>&amp;</b>',
  'Zoë 🦜',
];

let exportList: ExportList;

const database = await openListDatabase();
await database.query({
  text: `insert into people (id, email, email_canonical, display_name, role, status, joined_at, last_seen_at)
         select gen_random_uuid(), n || '@example.com', n || '@example.com',
           coalesce(($2::text[])[n], 'Person ' || n), 'member', 'active',
           '2026-01-01T10:30:00Z'::timestamptz + n * interval '1 minute', case when n = 1 then '2026-02-03T04:05:06Z'::timestamptz end
         from generate_series(1, $1::int) n`,
  values: [length, [...hostile, ...hostileLater, ...plain]],
});
const people = {
  name: 'people',
  title: 'People',
  list: createListReader(
    database,
    {
      table: 'people',
      columns: {
        displayName: { kind: 'text', searched: true, folded: true, label: 'Name' },
        email: { kind: 'text', searched: true, folded: true, label: 'E-mail' },
        role: { kind: 'set', label: 'Role', words: { member: 'Member', admin: 'Administrator' } },
        joinedAt: { kind: 'date', label: 'Joined' },
        lastSeenAt: { kind: 'date', label: 'Last seen' },
      },
      newestFirst: 'joined_at',
    },
    now,
  ).in('site'),
};
beforeEach(() => {
  exportList = createExportList({ database, now });
});

const upwards = { sort: 'joinedAt', direction: 'asc' } as const;
const connections = async () =>
  (
    await database.query({
      text: `select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
    })
  ).rows.length;

/** A strict reader of RFC 4180. */
function parseCsv(file: string): string[][] {
  const rows: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  let row: string[] = [];
  while (cell.lastIndex < file.length) {
    const match = cell.exec(file);
    if (!match) throw new Error('this is not RFC 4180');
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '\r\n') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

async function csv(query: object = {}) {
  const { body } = await exportList(people, { ...call, body: { format: 'csv', ...upwards, ...query } });
  return parseCsv((await text(body)).replace(/^\uFEFF/, ''));
}

describe('a CSV file', () => {
  test('has a byte order mark, a heading, and every row once, in order', async () => {
    const result = await exportList(people, { ...call, body: { format: 'csv', ...upwards } });
    expect(result).toMatchObject({ type: 'text/csv; charset=utf-8', fileName: 'people-2026-11-21.csv' });
    const bytes = await buffer(result.body);
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const [heading, ...rows] = parseCsv(bytes.subarray(3).toString());
    expect(heading).toEqual(['Name', 'E-mail', 'Role', 'Joined (UTC)', 'Last seen (UTC)']);
    expect(rows.map((row) => row[1])).toEqual(
      Array.from({ length }, (_, index) => `${index + 1}@example.com`),
    );
    expect(rows[0]?.slice(2)).toEqual(['Member', '2026-01-01 10:31:00', '2026-02-03 04:05:06']);
    expect(rows[1]?.[4]).toBe('');
  });

  test('has the titles and values that the caller provides, and English titles and values otherwise', async () => {
    const texts = {
      columns: { displayName: '=Name', joinedAt: 'Dabei seit' },
      values: { role: { member: 'Mitglied' } },
    };
    const columns = ['displayName', 'email', 'role', 'joinedAt'];
    const [heading, first] = await csv({ texts, columns });
    expect(heading).toEqual(["'=Name", 'E-mail', 'Role', 'Dabei seit (UTC)']);
    expect(first?.[2]).toBe('Mitglied');
    const { body } = await exportList(people, {
      ...call,
      body: { format: 'xlsx', ...upwards, columns, texts: { ...texts, sheet: 'Personen' } },
    });
    const [sheet] = await readWorkbook(await buffer(body));
    expect(sheet).toMatchObject({ sheet: 'Personen' });
    expect(sheet?.data[0]).toEqual(['=Name', 'E-mail', 'Role', 'Dabei seit (UTC)']);
  });

  test('keeps quotes, commas and line breaks, and puts an apostrophe before formulas (security 43)', async () => {
    const names = (await csv({ columns: ['displayName'] })).flat().slice(1);
    expect(names.slice(0, hostile.length)).toEqual(hostile.map((name) => `'${name}`));
    expect(names.slice(hostile.length).slice(0, hostileLater.length)).toEqual(
      hostileLater.map((name) => name.replace('=', "'=")),
    );
    expect(names.slice(hostile.length + hostileLater.length).slice(0, plain.length)).toEqual(plain);
  });

  test('contains exactly the rows that match the search and the filters, in the requested columns', async () => {
    const rows = await csv({
      columns: ['email', 'displayName'],
      search: 'person 4',
      filters: [{ column: 'email', is: 'contains', text: '42@' }],
    });
    expect(rows[0]).toEqual(['E-mail', 'Name']);
    expect(rows.slice(1).map((row) => row[0])).toEqual(
      [42, 442, ...Array.from({ length: 10 }, (_, index) => 4042 + index * 100)].map(
        (n) => `${n}@example.com`,
      ),
    );
  });

  test('contains only its heading if no row matches', async () => {
    expect(await csv({ search: 'an unknown name' })).toHaveLength(1);
  });
});

describe('a workbook', () => {
  const workbook = async (query: object = {}) => {
    const { body } = await exportList(people, { ...call, body: { format: 'xlsx', ...upwards, ...query } });
    const sheets = await readWorkbook(await buffer(body), { trim: false });
    return sheets;
  };

  test('contains texts as text cells and times as date cells (security 43)', async () => {
    const [sheet, ...others] = await workbook();
    expect(others).toEqual([]);
    expect(sheet?.sheet).toBe('People');
    const [heading, ...rows] = sheet?.data ?? [];
    expect(heading).toEqual(['Name', 'E-mail', 'Role', 'Joined (UTC)', 'Last seen (UTC)']);
    expect(rows).toHaveLength(length);
    expect(rows[0]).toEqual([
      '=1+1',
      '1@example.com',
      'Member',
      new Date('2026-01-01T10:31:00Z'),
      new Date('2026-02-03T04:05:06Z'),
    ]);
    expect(rows[1]?.[4]).toBeNull();
    const names = [...hostile, ...hostileLater, ...plain];
    expect(rows.slice(0, names.length).map((row) => row[0])).toEqual(names);
  });

  test('contains only its heading if no row matches', async () => {
    expect((await workbook({ search: 'an unknown name' }))[0]?.data).toHaveLength(1);
  });
});

test('days are exported without a time: as text in CSV, and as date cells in a workbook', async () => {
  const calendar: ExportedList = {
    name: 'calendar',
    title: 'Calendar',
    list: createListReader(
      database,
      {
        table: 'people',
        rows: `select people.*, case email when '1@example.com' then date '2026-12-31' when '2@example.com' then date '1850-01-01' end as due_on
               from people where email in ('1@example.com', '2@example.com', '3@example.com')`,
        columns: {
          email: { kind: 'text', folded: true, label: 'E-mail' },
          dueOn: { kind: 'day', label: 'Due' },
        },
        newestFirst: 'joined_at',
      },
      now,
    ).in('site'),
  };
  const file = async (format: 'csv' | 'xlsx') =>
    (await exportList(calendar, { ...call, body: { format, sort: 'email', direction: 'asc' } })).body;
  const csvText = (await text(await file('csv'))).replace(/^\uFEFF/, '');
  const rows = [
    ['1@example.com', '2026-12-31'],
    ['2@example.com', '1850-01-01'],
    ['3@example.com', ''],
  ];
  expect(parseCsv(csvText)).toEqual([['E-mail', 'Due'], ...rows]);
  const [sheet] = await readWorkbook(await buffer(await file('xlsx')));
  // The calendar of spreadsheets starts in 1900.
  const cells = [new Date('2026-12-31T00:00:00Z'), '1850-01-01', null];
  expect(sheet?.data.map((row) => row[1])).toEqual(['Due', ...cells]);
});

test('an export is written to the audit log before its first row is sent, with its filters and row count', async () => {
  const filters = [{ column: 'email', is: 'contains', text: '99@' } as const];
  const { body } = await exportList(people, {
    ...call,
    body: { format: 'xlsx', ...upwards, columns: ['email'], filters },
  });
  const { rows } = await database.query<Record<string, unknown>>({
    text: `select action, actor_label, target_label, detail from audit_log order by id desc limit 1`,
  });
  expect(rows[0]).toMatchObject({
    action: 'people.exported',
    actor_label: 'admin@example.com',
    target_label: 'people-2026-11-21.xlsx',
    detail: { rows: 50, format: 'xlsx', columns: ['email'], filters },
  });
  await buffer(body);
});

test('an export sends no data if its audit entry cannot be written (security 50)', async () => {
  const broken = createExportList({
    database: { ...database, query: () => Promise.reject(new Error('the log is full')) },
    now,
  });
  await expect(broken(people, { ...call, body: { format: 'csv', ...upwards } })).rejects.toThrow(
    'the log is full',
  );
  await expect.poll(connections).toBe(0);
});

test.each(['csv', 'xlsx'] as const)('an aborted %s download releases its connection', async (format) => {
  const { body } = await exportList(people, { ...call, body: { format, ...upwards } });
  await new Promise((resolve) => body.once('readable', resolve));
  expect(await connections()).toBe(1);
  body.destroy();
  await expect.poll(connections).toBe(0);
});

test('a fifth concurrent export is refused, and succeeds after another one has ended', async () => {
  const body = { format: 'csv', ...upwards } as const;
  const bodies = await Promise.all(
    Array.from({ length: 4 }, async () => (await exportList(people, { ...call, body })).body),
  );
  await expect(exportList(people, { ...call, body })).rejects.toMatchObject({
    text: { code: 'export.busy' },
    status: 429,
  });
  for (const opened of bodies) opened.destroy();
  await expect.poll(connections).toBe(0);
  await expect(csv()).resolves.toHaveLength(length + 1);
});

test('a lost database connection aborts the download, so that the file is not taken for complete', async () => {
  const { body } = await exportList(people, { ...call, body: { format: 'csv', ...upwards } });
  await endConnections();
  await expect(text(body)).rejects.toThrow();
});

test('unread exports end with their database connection, and others can be started', async () => {
  const body = { format: 'csv', ...upwards } as const;
  for (let count = 0; count < 4; count += 1) await exportList(people, { ...call, body });
  await endConnections();
  await expect
    .poll(() =>
      csv().then(
        (rows) => rows.length,
        () => 'busy',
      ),
    )
    .toBe(length + 1);
});

/** Ends the connections of exports, as the database does after two minutes without a statement. */
const endConnections = () =>
  database.query({
    text: `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and state like 'idle in transaction%'`,
  });
