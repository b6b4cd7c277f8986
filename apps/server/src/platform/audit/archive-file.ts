/**
 * Archive files: rows that were removed from the database, as one JSON value per line. `npm run audit:verify -- FILE`
 * detects alterations. An audit log archive holds whole seals, each followed by its entries; archives of other kinds
 * end with an HMAC over all lines.
 */
import { createHash, createHmac, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import {
  archiveMac,
  findDifference,
  erasureMac,
  findWrongSeal,
  equalsInConstantTime,
  sealedDigest,
  unpackDigests,
  type AuditProblem,
  type RowDigest,
  type SealRow,
  type ArchiveRow,
} from './audit-chain.ts';
import type { AuditRow } from './audit-row.ts';

/** Audit log entry as digested for its seal: salt and content. */
export type ArchivedEntry = {
  salt: string | null;
  sealed_digest: Buffer | null;
  erasure_mac: Buffer | null;
  content: string;
};

/** Fields of an entry that an erasure may replace. */
export type PersonalFields = Pick<AuditRow, 'actor_label' | 'target_label' | 'address' | 'detail'>;
export type AuditFields = PersonalFields &
  Pick<AuditRow, 'id' | 'action' | 'actor_id' | 'target_type' | 'target_id'>;

/** Functions that return the replacement, or null to leave the entry or row unchanged. */
export type Redact = {
  entry: (entry: AuditFields) => PersonalFields | null;
  row: (kind: string, row: Record<string, unknown>) => Record<string, unknown> | null;
};

type ArchiveVerdict = {
  /** `activity`, or the kind of the archived rows. */
  kind: string;
  checked: number;
  problem: string | null;
  /** HMAC of the whole archive as stored in the database. Audit log only. */
  mac: string | null;
};

const entryKey = '"entry":';
/** Fields of an entry's content, in this order. */
const contentFields =
  'id at action actor_id actor_label target_type target_id target_label address request_id detail'.split(' ');

/**
 * Returns the lines of an audit log archive. They contain `sealedKey`, the site key encrypted with SECRET, so that
 * SECRET is sufficient to verify the file.
 */
export function logArchiveLines(
  archive: Omit<ArchiveRow, 'file'>,
  previous: { archiveMac: Buffer; sealMac: Buffer },
  sealedKey: string | null,
  parts: { seal: SealRow; entries: ArchivedEntry[] }[],
): string[] {
  const { seal_mac, mac, ...facts } = archive;
  return [
    JSON.stringify({
      vestibule: 'activity',
      version: 1,
      ...facts,
      previous_archive_mac: hex(previous.archiveMac),
      previous_seal_mac: hex(previous.sealMac),
      seal_mac: hex(seal_mac),
      mac: hex(mac),
      key: sealedKey,
    }),
    ...parts.flatMap(({ seal, entries }) => [
      JSON.stringify({ seal: { ...seal, rows: seal.rows.toString('base64'), mac: hex(seal.mac) } }),
      ...entries.map(entryLine),
    ]),
  ];
}

function entryLine({ salt, sealed_digest: sealed, erasure_mac: mac, content }: ArchivedEntry): string {
  const erased = sealed && mac ? `"sealed":"${hex(sealed)}","erasure":"${hex(mac)}",` : '';
  return `{"salt":${salt === null ? 'null' : `"${salt}"`},${erased}${entryKey}${content}}`;
}

function readEntry(line: string): ArchivedEntry {
  const at = line.indexOf(entryKey);
  const { salt, sealed, erasure } = JSON.parse(line) as {
    salt: string | null;
    sealed?: string;
    erasure?: string;
  };
  return {
    salt,
    sealed_digest: sealed === undefined ? null : Buffer.from(sealed, 'hex'),
    erasure_mac: erasure === undefined ? null : Buffer.from(erasure, 'hex'),
    content: line.slice(at + entryKey.length, -1),
  };
}

export function rowArchiveLines(
  key: KeyObject,
  kind: string,
  { number, sealedKey }: { number: number; sealedKey: string | null },
  rows: Record<string, unknown>[],
): string[] {
  const lines = [
    JSON.stringify({ vestibule: kind, version: 1, number, row_count: rows.length, key: sealedKey }),
    ...rows.map((row) => JSON.stringify(row)),
  ];
  return [...lines, JSON.stringify({ mac: hex(linesMac(key, lines)) })];
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
  return (await readLines(file)).slice(1, -1).map((line) => String((JSON.parse(line) as { id: unknown }).id));
}

/** Returns the encrypted site key of an archive, for `decryptStoredKey`. Throws if the file is not an archive. */
export async function readKeyOfFile(file: string): Promise<string | null> {
  return parseHeader(await readLines(file)).key ?? null;
}

/** Verifies a file against its own seals. Throws if the file is not an archive. */
export async function verifyArchiveFile(key: KeyObject, file: string): Promise<ArchiveVerdict> {
  return verifyLines(key, await readLines(file));
}

export function verifyLines(key: KeyObject, lines: string[]): ArchiveVerdict {
  const header = parseHeader(lines);
  if (header.vestibule === 'activity') return verifyLog(key, header, lines);
  const rows = lines.length - 2;
  const mac = Buffer.from((tryParse(lines.at(-1)) as { mac?: string } | null)?.mac ?? '', 'hex');
  const isWhole = rows === header.row_count && equalsInConstantTime(mac, linesMac(key, lines.slice(0, -1)));
  return {
    kind: header.vestibule,
    checked: isWhole ? rows : 0,
    problem: isWhole ? null : 'The file was altered, or was written with another SECRET.',
    mac: null,
  };
}

type Header = Omit<ArchiveRow, 'mac' | 'seal_mac' | 'file'> & {
  vestibule: string;
  previous_archive_mac: string;
  previous_seal_mac: string;
  seal_mac: string;
  mac: string;
  key?: string | null;
};

function verifyLog(key: KeyObject, header: Header, lines: string[]): ArchiveVerdict {
  const verdict = (checked: number, problem: AuditProblem | string | null): ArchiveVerdict => ({
    kind: header.vestibule,
    checked,
    problem: problem === null || typeof problem === 'string' ? problem : problem.message,
    mac: header.mac,
  });
  const archive = { ...header, seal_mac: bytes(header.seal_mac) };
  if (!equalsInConstantTime(bytes(header.mac), archiveMac(key, archive, bytes(header.previous_archive_mac))))
    return verdict(0, 'The first line was altered, or was written with another SECRET.');

  const seals: SealRow[] = [];
  const found: RowDigest[] = [];
  try {
    for (const line of lines.slice(1))
      if (line.startsWith('{"seal":')) seals.push(readSeal(line));
      else found.push(digestOf(key, readEntry(line)));
  } catch {
    return verdict(found.length, `Line ${seals.length + found.length + 2} was altered: it is no entry.`);
  }
  const anchor = { id: header.from_seal - 1, to_id: header.from_id, mac: bytes(header.previous_seal_mac) };
  const wrong = findWrongSeal(key, seals, anchor);
  if (wrong) return verdict(0, wrong);
  const last = seals.at(-1);
  if (last?.id !== header.to_seal || !equalsInConstantTime(last.mac, archive.seal_mac))
    return verdict(0, 'Seals are missing at the end of the file.');
  const sealed = seals.flatMap((seal) => unpackDigests(seal.rows));
  const problem = findDifference(sealed, found);
  return problem
    ? verdict(sealed.filter(({ id }) => id < (problem.rowId as number)).length, problem)
    : verdict(sealed.length, null);
}

/**
 * Replaces the fields that `redact` returns and returns the number of changed lines. The file still verifies: an entry
 * keeps its sealed digest, and an erasure MAC covers the new one. Earlier alterations remain detectable.
 */
export async function redactArchiveFile(key: KeyObject, file: string, redact: Redact): Promise<number> {
  const lines = await readLines(file);
  const header = parseHeader(lines);
  if (header.vestibule === 'activity') {
    const changed = lines.map((line, index) =>
      index === 0 || line.startsWith('{"seal":') ? line : redactLine(key, line, redact),
    );
    return replace(file, lines, changed);
  }
  const { problem } = verifyLines(key, lines);
  if (problem !== null) throw new Error(`${file}: ${problem}`);
  const rows = lines.slice(1, -1).map((line) => {
    const row = JSON.parse(line) as Record<string, unknown>;
    return JSON.stringify(redact.row(header.vestibule, row) ?? row);
  });
  const head = [lines[0] as string, ...rows];
  return replace(file, lines, [...head, JSON.stringify({ mac: hex(linesMac(key, head)) })]);
}

function redactLine(key: KeyObject, line: string, redact: Redact): string {
  const entry = readEntry(line);
  const values = JSON.parse(entry.content) as unknown[];
  const fields = Object.fromEntries(contentFields.map((name, index) => [name, values[index]])) as AuditFields;
  const after = redact.entry(fields);
  if (after === null) return line;
  const { actor_label, target_label, address, detail } = after;
  const changed: Record<string, unknown> = { ...fields, actor_label, target_label, address, detail };
  const content = JSON.stringify(contentFields.map((name) => changed[name]));
  const sealed = entry.sealed_digest ?? contentDigest(entry);
  const current = contentDigest({ salt: null, content });
  return entryLine({
    salt: null,
    sealed_digest: sealed,
    erasure_mac: erasureMac(key, fields.id, sealed, current),
    content,
  });
}

async function replace(file: string, before: string[], after: string[]): Promise<number> {
  const changed = after.filter((line, index) => line !== before[index]).length;
  if (changed > 0) await writeArchiveFile(file, after);
  return changed;
}

/** Computes the same digest as the database function `audit_digest`. */
function contentDigest({ salt, content }: Pick<ArchivedEntry, 'salt' | 'content'>): Buffer {
  return createHash('sha256')
    .update(`${salt ?? ''}${content}`)
    .digest();
}

function digestOf(key: KeyObject, entry: ArchivedEntry): RowDigest {
  const id = Number((JSON.parse(entry.content) as unknown[])[0]);
  return { id, digest: sealedDigest(key, { ...entry, id, digest: contentDigest(entry) }) };
}

function readSeal(line: string): SealRow {
  const { seal } = JSON.parse(line) as {
    seal: Omit<SealRow, 'rows' | 'mac' | 'sealed_at'> & { rows: string; mac: string; sealed_at: string };
  };
  return {
    ...seal,
    rows: Buffer.from(seal.rows, 'base64'),
    mac: bytes(seal.mac),
    sealed_at: new Date(seal.sealed_at),
  };
}

function parseHeader(lines: string[]): Header {
  const header = tryParse(lines[0]) as Header | null;
  if (typeof header?.vestibule !== 'string') throw new Error('This file is no archive of Vestibule.');
  return header;
}

function tryParse(line: string | undefined): unknown {
  try {
    return JSON.parse(line ?? '');
  } catch {
    return null;
  }
}

/** `node:readline` would also split at line separators inside texts. */
async function readLines(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8')).replace(/\n$/, '').split('\n');
}

function linesMac(key: KeyObject, lines: string[]): Buffer {
  return createHmac('sha256', key).update('rows\n').update(lines.join('\n')).digest();
}

const hex = (value: Buffer) => value.toString('hex');
const bytes = (value: string) => Buffer.from(value, 'hex');
