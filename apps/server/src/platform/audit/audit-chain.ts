/**
 * The audit hash chain: digests of rows, HMACs of seals over the rows since the previous seal, and HMACs of archives,
 * after which the chain continues. This module only reads. See audit-seals.ts, audit-archives.ts, audit-erasure.ts and
 * docs/decisions/015-erasure-and-archives.md.
 */
import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { rowsOf, type Queryable } from '../database/database.ts';

export type SealRow = {
  id: number;
  from_id: string;
  to_id: number;
  row_count: number;
  rows: Buffer;
  mac: Buffer;
  sealed_at: Date;
};

export type RowDigest = { id: number; digest: Buffer };

/** Seal after which a chain begins; `emptyLogAnchor` if there is none. */
type Anchor = Pick<SealRow, 'id' | 'to_id' | 'mac'>;

export type ArchiveRow = {
  id: number;
  from_seal: number;
  to_seal: number;
  from_id: number;
  to_id: number;
  row_count: number;
  seal_mac: Buffer;
  mac: Buffer;
  file: string;
};

/** First row or seal that fails verification. */
export type AuditProblem = {
  kind: 'altered' | 'removed' | 'inserted' | 'seal';
  /** Null if a seal is wrong. */
  rowId: number | null;
  message: string;
};

export const rowsPerSeal = 10_000;
const entryBytes = 40;
/** Anchors of the first seal and the first archive. */
export const emptyLogAnchor: Anchor = { id: 0, to_id: 0, mac: Buffer.alloc(32) };
export const emptyArchiveAnchor = Buffer.alloc(32);

export const sealColumns = 'id, from_id::text, to_id, row_count, rows, mac, sealed_at';

/** Derives the HMAC key from the site key, which the database stores only encrypted with SECRET. */
export function auditKey(secret: Buffer): KeyObject {
  return createSecretKey(createHmac('sha256', secret).update('vestibule audit seals').digest());
}

export function sealMac(key: KeyObject, seal: Omit<SealRow, 'mac'>, previous: Buffer): Buffer {
  const facts = [seal.id, seal.from_id, seal.to_id, seal.row_count, seal.sealed_at.getTime()].join(' ');
  return createHmac('sha256', key).update(facts).update('\n').update(previous).update(seal.rows).digest();
}

export function archiveMac(
  key: KeyObject,
  archive: Omit<ArchiveRow, 'mac' | 'file'>,
  previous: Buffer,
): Buffer {
  const { id, from_seal, to_seal, from_id, to_id, row_count, seal_mac } = archive;
  const facts = ['archive', id, from_seal, to_seal, from_id, to_id, row_count].join(' ');
  return createHmac('sha256', key).update(facts).update('\n').update(previous).update(seal_mac).digest();
}

/** Computes the HMAC that allows a row sealed as `sealed` to have the digest `current` after an erasure. */
export function erasureMac(key: KeyObject, id: number, sealed: Buffer, current: Buffer): Buffer {
  return createHmac('sha256', key).update(`erased ${id}\n`).update(sealed).update(current).digest();
}

/**
 * Returns the digest that the seal covers: for an erased row with a valid erasure MAC, the digest before the erasure.
 */
export function sealedDigest(
  key: KeyObject,
  row: RowDigest & { sealed_digest: Buffer | null; erasure_mac: Buffer | null },
): Buffer {
  const { id, digest, sealed_digest: sealed, erasure_mac: mac } = row;
  return sealed && mac && equalsInConstantTime(mac, erasureMac(key, id, sealed, digest)) ? sealed : digest;
}

export async function readDigests(
  database: Queryable,
  key: KeyObject,
  range: { after: number; upTo: number; limit?: number },
): Promise<RowDigest[]> {
  const { rows } = await database.query<
    RowDigest & { sealed_digest: Buffer | null; erasure_mac: Buffer | null }
  >({
    text: `select id, audit_digest(log) as digest, sealed_digest, erasure_mac from audit_log log
           where id > $1 and id <= $2 order by id limit $3`,
    values: [range.after, range.upTo, range.limit ?? null],
  });
  return rows.map((row) => ({ id: row.id, digest: sealedDigest(key, row) }));
}

/** Returns the seals from the given one on, up to about twenty thousand rows. */
export async function readSeals(database: Queryable, from: number): Promise<SealRow[]> {
  return rowsOf<SealRow>(database, {
    text: `select ${sealColumns} from (
             select *, sum(row_count) over (order by id) - row_count as before
             from (select * from audit_seals where id >= $1 order by id limit 1000) next) counted
           where before < ${2 * rowsPerSeal} order by id`,
    values: [from],
  });
}

export async function readArchives(database: Queryable): Promise<ArchiveRow[]> {
  return rowsOf<ArchiveRow>(database, {
    text: `select id, from_seal, to_seal, from_id, to_id, row_count, seal_mac, mac, file from audit_archives order by id`,
  });
}

/** Returns the last seal of the newest archive, without verifying the archive. */
export async function readAnchor(database: Queryable): Promise<Anchor> {
  const rows = await rowsOf<Anchor>(database, {
    name: 'audit-anchor',
    text: 'select to_seal as id, to_id, seal_mac as mac from audit_archives order by id desc limit 1',
  });
  return rows[0] ?? emptyLogAnchor;
}

export function packDigests(digests: RowDigest[]): Buffer {
  const bytes = Buffer.alloc(digests.length * entryBytes);
  digests.forEach(({ id, digest }, index) => {
    bytes.writeBigInt64BE(BigInt(id), index * entryBytes);
    digest.copy(bytes, index * entryBytes + 8);
  });
  return bytes;
}

export function unpackDigests(bytes: Buffer): RowDigest[] {
  return Array.from({ length: bytes.length / entryBytes }, (_, index) => ({
    id: Number(bytes.readBigInt64BE(index * entryBytes)),
    digest: bytes.subarray(index * entryBytes + 8, (index + 1) * entryBytes),
  }));
}

/** Returns the first seal that does not follow from the previous one, or null. */
export function findWrongSeal(key: KeyObject, seals: SealRow[], anchor: Anchor): AuditProblem | null {
  let previous = anchor;
  for (const seal of seals) {
    if (seal.id !== previous.id + 1) return missingSealProblem(previous.id + 1);
    if (
      seal.from_id !== String(previous.to_id) ||
      seal.rows.length !== seal.row_count * entryBytes ||
      !equalsInConstantTime(seal.mac, sealMac(key, seal, previous.mac))
    )
      return sealProblem(
        `Seal ${seal.id} itself was altered, or was made with another SECRET. The entries after number ${seal.from_id} cannot be vouched for.`,
      );
    previous = seal;
  }
  return null;
}

/** Returns the first archive that does not follow from the previous one, or null. */
export function findWrongArchive(key: KeyObject, archives: ArchiveRow[]): AuditProblem | null {
  let previous: Pick<ArchiveRow, 'id' | 'to_seal' | 'to_id' | 'mac'> = {
    id: 0,
    to_seal: 0,
    to_id: 0,
    mac: emptyArchiveAnchor,
  };
  for (const archive of archives) {
    if (
      archive.id !== previous.id + 1 ||
      archive.from_seal !== previous.to_seal + 1 ||
      archive.from_id !== previous.to_id ||
      !equalsInConstantTime(archive.mac, archiveMac(key, archive, previous.mac))
    )
      return sealProblem(
        `Archive ${previous.id + 1} is missing, was altered, or was made with another SECRET. Neither its entries nor those after it can be vouched for.`,
      );
    previous = archive;
  }
  return null;
}

/** Returns the first difference between sealed and current rows, or null. Both are ordered by id. */
export function findDifference(sealed: RowDigest[], found: RowDigest[]): AuditProblem | null {
  for (let index = 0; index < Math.max(sealed.length, found.length); index += 1) {
    const sealedRow = sealed[index];
    const currentRow = found[index];
    if (sealedRow && currentRow?.id === sealedRow.id) {
      if (!currentRow.digest.equals(sealedRow.digest))
        return rowProblem('altered', currentRow.id, 'was altered after it was sealed');
    } else if (sealedRow && (!currentRow || currentRow.id > sealedRow.id))
      return rowProblem('removed', sealedRow.id, 'has been removed');
    else if (currentRow)
      return rowProblem('inserted', currentRow.id, 'was slipped in later: it is not among the sealed ones');
  }
  return null;
}

export function equalsInConstantTime(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

function rowProblem(kind: AuditProblem['kind'], rowId: number, what: string): AuditProblem {
  return { kind, rowId, message: `Entry ${rowId} of the log ${what}.` };
}

const sealProblem = (message: string): AuditProblem => ({ kind: 'seal', rowId: null, message });

export const missingSealProblem = (id: number) =>
  sealProblem(
    `Seal ${id} has been removed. The entries it covered, and those after them, cannot be vouched for.`,
  );
