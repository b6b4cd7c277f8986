/**
 * Archive files: rows that were removed from the database, as one JSON value per line, and an HMAC over all lines as
 * the last one. `npm run audit:verify -- FILE` detects alterations.
 */
import { createHmac, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { readEarlierArchive } from './earlier-seals.ts';

type Row = Record<string, unknown>;
type Header = {
  /** `activity`, `sign_ins` or `invitations`. */
  vestibule: string;
  version: number;
  number: number;
  row_count: number;
  /** Site key, encrypted with SECRET, so that SECRET is sufficient to verify the file. */
  key: string | null;
};

type ArchiveVerdict = { kind: string; number: number; checked: number; problem: string | null };

/** Returns the replacement of an archived row, or null to leave the row unchanged. */
export type RedactRow = (kind: string, row: Row) => Row | null;

const version = 2;

export function archiveLines(
  key: KeyObject,
  header: { kind: string; number: number; encryptedKey: string | null },
  rows: Row[],
): string[] {
  const { kind, number, encryptedKey } = header;
  return withMac(key, [
    JSON.stringify({ vestibule: kind, version, number, row_count: rows.length, key: encryptedKey }),
    ...rows.map((row) => JSON.stringify(row)),
  ]);
}

/** Writes the file with mode 0600, atomically: it is renamed after its content has been synced to disk. */
export async function writeArchiveFile(file: string, lines: string[]): Promise<void> {
  const directory = path.dirname(file);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const unfinished = `${file}.partial`;
  await rm(unfinished, { force: true });
  const handle = await open(unfinished, 'wx', 0o600);
  try {
    await handle.writeFile(`${lines.join('\n')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, file);
  // Windows cannot open directories; the file system's journal has to suffice.
  if (process.platform === 'win32') return;
  const name = await open(directory, 'r');
  try {
    await name.sync();
  } finally {
    await name.close();
  }
}

/** Returns the ids of the rows in a file, or an empty list if the file does not exist. */
export async function readArchivedIds(file: string): Promise<string[]> {
  if (!existsSync(file)) return [];
  return (await readLines(file)).slice(1, -1).map((line) => String((JSON.parse(line) as Row)['id']));
}

/** Returns the encrypted site key of an archive, for `decryptStoredKey`. Throws if the file is not an archive. */
export const readKeyOfFile = async (file: string): Promise<string | null> =>
  parseHeader(await readLines(file)).key ?? null;

/** Throws if the file is not an archive. */
export const verifyArchiveFile = async (key: KeyObject, file: string): Promise<ArchiveVerdict> =>
  verifyLines(key, await readLines(file));

export function verifyLines(key: KeyObject, lines: string[]): ArchiveVerdict {
  const { header, isIntact } = readArchive(key, lines);
  return {
    kind: header.vestibule,
    number: header.number,
    checked: isIntact ? header.row_count : 0,
    problem: isIntact ? null : 'The file was altered, or was written with another SECRET.',
  };
}

/**
 * Replaces rows, and returns the number of changed ones. The HMAC of an unaltered file is replaced as well; a file that was altered before
 * still does not verify.
 */
export async function redactArchiveFile(key: KeyObject, file: string, redact: RedactRow): Promise<number> {
  const { header, rows, isIntact, mac } = readArchive(key, await readLines(file));
  let changed = 0;
  const lines = rows.map((line) => {
    const redacted = redact(header.vestibule, JSON.parse(line) as Row);
    if (redacted === null) return line;
    changed += 1;
    return JSON.stringify(redacted);
  });
  if (changed === 0) return 0;
  const all = [JSON.stringify(header), ...lines];
  await writeArchiveFile(file, isIntact ? withMac(key, all) : [...all, mac]);
  return changed;
}

/** Returns the header, the lines of the rows, whether they are unaltered, and the last line. */
function readArchive(key: KeyObject, lines: string[]) {
  const header = parseHeader(lines);
  if (header.vestibule === 'activity' && header.version === 1) {
    const { id: number, rows, isIntact } = readEarlierArchive(key, lines);
    const { vestibule, row_count, key: encryptedKey } = header;
    return {
      header: { vestibule, version, number, row_count, key: encryptedKey },
      rows: rows.map((row) => JSON.stringify(row)),
      isIntact,
      mac: '{"mac":""}',
    };
  }
  const mac = lines.at(-1) ?? '';
  const rows = lines.slice(1, -1);
  const isIntact = mac === withMac(key, lines.slice(0, -1)).at(-1) && rows.length === header.row_count;
  return { header, rows, isIntact, mac };
}

function withMac(key: KeyObject, lines: string[]): string[] {
  const mac = createHmac('sha256', key).update('rows\n').update(lines.join('\n')).digest('hex');
  return [...lines, JSON.stringify({ mac })];
}

function parseHeader([line = '']: string[]): Header {
  try {
    const header = JSON.parse(line) as Header | null;
    if (typeof header?.vestibule === 'string') return header;
  } catch {
    // Reported below.
  }
  throw new Error('This file is no archive of Vestibule.');
}

/** `node:readline` would also split at line separators inside texts. */
const readLines = async (file: string): Promise<string[]> =>
  (await readFile(file, 'utf8')).replace(/\n$/, '').split('\n');
