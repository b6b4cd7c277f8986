/**
 * Seals of versions up to 1.0.0, each over the digests of thousands of entries, and the archive files that contain
 * them. Entries in the database are compared with these seals once, when their HMACs are created (audit-seals.ts).
 */
import { createHash, createHmac, type KeyObject } from 'node:crypto';
import { rowOf, rowsOf, type Queryable } from '../database/database.ts';

type Seal = {
  id: number;
  from_id: string;
  to_id: number;
  row_count: number;
  /** 40 bytes per entry: id and SHA-256. */
  rows: Buffer;
  mac: Buffer;
  sealed_at: Date;
};
type Archive = {
  id: number;
  from_seal: number;
  to_seal: number;
  from_id: number;
  to_id: number;
  row_count: number;
  seal_mac: Buffer;
  mac: Buffer;
};
type Entry = { id: number; digest: Buffer; sealed_digest: Buffer | null; erasure_mac: Buffer | null };

const noMac = Buffer.alloc(32);
const idBytes = 8;
const entryBytes = 40;

/** Returns the end of the seal that begins after the entry `after`, and whether each sealed entry is unaltered. */
export async function compareWithEarlierSeal(
  transaction: Queryable,
  key: KeyObject,
  after: number,
): Promise<{ upTo: number; intact: Map<number, boolean> } | null> {
  const seal = await rowOf<Seal & { previous_mac: Buffer | null }>(transaction)`
    select id, from_id::text, to_id, row_count, rows, mac, sealed_at, coalesce(
        (select mac from audit_seals previous where previous.id = seal.id - 1),
        (select seal_mac from audit_archives where to_seal = seal.id - 1)) as previous_mac
    from audit_seals seal where from_id = ${after} and to_id > ${after} limit 1`;
  if (seal === null) return null;
  const entries = await rowsOf<Entry>(transaction)`
    select id, audit_digest(log) as digest, sealed_digest, erasure_mac from audit_log log
    where id > ${after} and id <= ${seal.to_id} order by id`;
  return { upTo: seal.to_id, intact: compare(key, seal, seal.previous_mac ?? noMac, entries) };
}

/** Returns whether an archive of these versions ended with the entry `lastId`. */
export async function isEndOfEarlierArchive(
  database: Queryable,
  key: KeyObject,
  lastId: number,
): Promise<boolean> {
  const archive = await rowOf<Archive & { previous_mac: Buffer | null }>(database)`
    select *, (select mac from audit_archives previous where previous.id = archive.id - 1) as previous_mac
    from audit_archives archive where to_id = ${lastId}`;
  return archive !== null && archive.mac.equals(archiveMac(key, archive, archive.previous_mac ?? noMac));
}

type HexField = 'seal_mac' | 'mac' | 'previous_seal_mac' | 'previous_archive_mac';

/** Returns the entries of an archive file, and whether the file is unaltered. */
export function readEarlierArchive(
  key: KeyObject,
  [header = '', ...lines]: string[],
): { id: number; rows: Record<string, unknown>[]; isIntact: boolean } {
  const rows: Record<string, unknown>[] = [];
  const parts: { seal: Seal; entries: Entry[] }[] = [];
  for (const line of lines)
    if (line.startsWith('{"seal":')) parts.push({ seal: parseSeal(line), entries: [] });
    else {
      const { row, entry } = parseEntry(line);
      rows.push(row);
      parts.at(-1)?.entries.push(entry);
    }
  const text = JSON.parse(header) as Omit<Archive, HexField> & Record<HexField, string>;
  const archive = { ...text, seal_mac: bytes(text.seal_mac) };
  let sealMac: Buffer = bytes(text.previous_seal_mac);
  const areEntriesIntact = parts.every(({ seal, entries }) => {
    const intact = compare(key, seal, sealMac, entries);
    sealMac = seal.mac;
    return entries.length === intact.size && ![...intact.values()].includes(false);
  });
  const isIntact =
    areEntriesIntact &&
    sealMac.equals(archive.seal_mac) &&
    archiveMac(key, archive, bytes(text.previous_archive_mac)).equals(bytes(text.mac));
  return { id: archive.id, rows, isIntact };
}

/** Returns whether each sealed entry has the sealed digest. An altered seal confirms no entry. */
function compare(key: KeyObject, seal: Seal, previousMac: Buffer, entries: Entry[]): Map<number, boolean> {
  const facts = [seal.id, seal.from_id, seal.to_id, seal.row_count, seal.sealed_at.getTime()].join(' ');
  const mac = hmac(key, `${facts}\n`, previousMac, seal.rows);
  if (!seal.mac.equals(mac)) return new Map(entries.map(({ id }) => [id, false]));
  const digests = new Map(entries.map((entry) => [entry.id, sealedDigest(key, entry)]));
  return new Map(
    Array.from({ length: seal.row_count }, (_, index) => {
      const sealed = seal.rows.subarray(index * entryBytes, (index + 1) * entryBytes);
      const id = Number(sealed.readBigInt64BE());
      return [id, digests.get(id)?.equals(sealed.subarray(idBytes)) === true];
    }),
  );
}

/** Returns the digest before the erasure for an erased entry whose MAC is valid. */
const sealedDigest = (
  key: KeyObject,
  { id, digest, sealed_digest: sealed, erasure_mac: mac }: Entry,
): Buffer => (sealed && mac?.equals(hmac(key, `erased ${id}\n`, sealed, digest)) ? sealed : digest);

function archiveMac(key: KeyObject, archive: Omit<Archive, 'mac'>, previousMac: Buffer): Buffer {
  const { id, from_seal, to_seal, from_id, to_id, row_count, seal_mac } = archive;
  const facts = ['archive', id, from_seal, to_seal, from_id, to_id, row_count].join(' ');
  return hmac(key, `${facts}\n`, previousMac, seal_mac);
}

function parseSeal(line: string): Seal {
  const { seal } = JSON.parse(line) as { seal: Seal & Record<'rows' | 'mac' | 'sealed_at', string> };
  return {
    ...seal,
    rows: Buffer.from(seal.rows, 'base64'),
    mac: bytes(seal.mac),
    sealed_at: new Date(seal.sealed_at),
  };
}

const contentKey = '"entry":';
const contentFields =
  'id at action actor_id actor_label target_type target_id target_label address request_id detail'.split(' ');

function parseEntry(line: string): { row: Record<string, unknown>; entry: Entry } {
  const content = line.slice(line.indexOf(contentKey) + contentKey.length, -1);
  const { salt, sealed, erasure } = JSON.parse(line) as Record<string, string | null>;
  const values = JSON.parse(content) as unknown[];
  const row = Object.fromEntries(contentFields.map((name, index) => [name, values[index]]));
  const digest = createHash('sha256')
    .update(`${salt ?? ''}${content}`)
    .digest();
  const [sealedBytes, erasureBytes] = [sealed, erasure].map((hex) => (hex ? bytes(hex) : null));
  return {
    row,
    entry: {
      id: Number(row['id']),
      digest,
      sealed_digest: sealedBytes ?? null,
      erasure_mac: erasureBytes ?? null,
    },
  };
}

const bytes = (hex: string) => Buffer.from(hex, 'hex');

const hmac = (key: KeyObject, ...parts: (string | Buffer)[]): Buffer =>
  parts.reduce((digest, part) => digest.update(part), createHmac('sha256', key)).digest();
