/**
 * Exports all matching rows of a list as CSV or as a workbook. Rows are read with a cursor and streamed, so memory use
 * does not depend on their number. The audit log records each export before its first row is sent.
 */
import { Readable } from 'node:stream';
import { exportErrors, exportMedia, type ExportTexts } from '@vestibule/contract/values';
import { recordChange } from '../audit/audit-log.ts';
import type { DatabaseDeps } from '../database/database.ts';
import type { ListReader } from '../lists/list-page.ts';
import type { ListOrder } from '../lists/list-rows.ts';
import type { ExportedColumn, ListMatch, ListSource } from '../lists/list-source.ts';
import { openSnapshot, type Snapshot } from '../database/snapshot.ts';
import { fail } from '../errors/failure.ts';
import type { Caller, CallerOrganization, Origin } from '../http/implement.ts';
import type { StreamedResponse } from '../http/streamed-response.ts';
import { csvFile, type ExportCell } from './csv.ts';
import { xlsxFile } from './xlsx.ts';

export type ExportedList = {
  /** Used in the file name and the audit action: `people.exported`. */
  name: string;
  title: string;
  /** Its columns, in order, are those of the file. */
  list: Pick<ListReader<unknown, ListSource<string, ExportedColumn>>, 'source' | 'createStatements'>;
};

type ExportCall = {
  body: ListMatch &
    ListOrder & { format: 'csv' | 'xlsx'; columns?: string[] | undefined; texts?: ExportTexts | undefined };
  caller: Caller;
  organization?: CallerOrganization | null;
  origin: Origin;
};

/** Limited because each export holds a database connection and uses processor time. */
const maxConcurrentExports = 4;
const widths = { text: 32, set: 16, id: 38, date: 20, day: 12, number: 12 };

export type ExportList = (exported: ExportedList, call: ExportCall) => Promise<StreamedResponse>;

export function createExportList(deps: DatabaseDeps): ExportList {
  let running = 0;

  return async (exported, { body: options, caller, organization, origin }) => {
    const names = options.columns ?? Object.keys(exported.list.source.columns);
    const { rows, count } = exported.list.createStatements(options, names);
    if (running >= maxConcurrentExports) throw fail(exportErrors.busy, { retryAfterSeconds: 10 });
    running += 1;
    let snapshot: Snapshot | undefined;
    const finish = () => {
      running -= 1;
      void snapshot?.close();
    };
    try {
      snapshot = await openSnapshot(deps.database);
      const total = (await snapshot.query<{ total: number }>(count)).rows[0]?.total ?? 0;
      const fileName = `${exported.name}-${new Date(deps.now()).toISOString().slice(0, 10)}.${options.format}`;
      const { search, filters, ids, except, sort, direction, format } = options;
      await recordChange(deps.database, {
        action: `${exported.name}.exported`,
        actor: caller,
        target: { type: 'export', id: exported.name, label: fileName },
        origin,
        organization,
        detail: { rows: total, format, columns: names, search, filters, ids, except, sort, direction },
      });
      const body = Readable.from(write(exported, options, names, total, snapshot.batches(rows)), {
        highWaterMark: 1,
      });
      // The stream is closed even if the client never reads it.
      body.once('close', finish);
      // A client that stops reading, such as a sleeping computer, must not keep others from exporting.
      snapshot.onEnd(() => body.destroy());
      return { type: mediaType(format), fileName, body };
    } catch (error) {
      finish();
      throw error;
    }
  };
}

function mediaType(format: 'csv' | 'xlsx'): string {
  const [csv, xlsx] = exportMedia;
  return format === 'csv' ? `${csv}; charset=utf-8` : xlsx;
}

function write(
  { list, title }: ExportedList,
  { format, texts = {} }: ExportCall['body'],
  names: string[],
  total: number,
  batches: AsyncGenerator<unknown[][]>,
): AsyncGenerator<Uint8Array> {
  const columns = names.map((name) => list.source.columns[name] as ExportedColumn);
  const headings = columns.map(({ label, kind }, index) => {
    const text = ownValue(texts.columns, names[index]) ?? label;
    return { label: kind === 'date' ? `${text} (UTC)` : text, width: widths[kind], isDay: kind === 'day' };
  });
  const words = columns.map(
    (column, index) => column.words && { ...column.words, ...ownValue(texts.values, names[index]) },
  );
  const cells = translateCells(batches, words);
  return format === 'csv'
    ? csvFile(headings, cells)
    : xlsxFile({ title: texts.sheet ?? title, columns: headings, total }, cells);
}

const ownValue = <Value>(record: Record<string, Value> | undefined, name = ''): Value | undefined =>
  record && Object.hasOwn(record, name) ? record[name] : undefined;

async function* translateCells(
  batches: AsyncGenerator<unknown[][]>,
  words: (Record<string, string> | undefined)[],
): AsyncGenerator<ExportCell[][]> {
  for await (const rows of batches) {
    for (const row of rows)
      words.forEach((columnWords, index) => {
        const value = String(row[index]);
        if (columnWords && Object.hasOwn(columnWords, value)) row[index] = columnWords[value];
      });
    yield rows as ExportCell[][];
  }
}
