import { execute, rowOf, scalarOf, type Queryable } from '../../../platform/database/database.ts';

export type UploadRow = {
  id: string;
  owner_id: string;
  name: string;
  declared_type: string;
  declared_sha256: Buffer | null;
  size: number;
  received: number;
  created_at: Date;
  touched_at: Date;
  /** Ids of the server processes that have written to it. */
  writers: string[];
};

export const findUpload = (database: Queryable, id: string) =>
  rowOf<UploadRow>(database, { name: 'find-upload' })`select * from attachment_uploads where id = ${id}`;

/** Returns the size of the attachment that an upload has become; null if there is none. */
export const findFinishedSize = (database: Queryable, id: string) =>
  scalarOf<number>(database, { name: 'find-finished-upload' })`
    select size from attachments where id = ${id} and deleted_at is null`;

/** Returns whether the person owns the upload or the attachment that it has become. */
export async function ownsUpload(database: Queryable, id: string, personId: string): Promise<boolean> {
  const found = await rowOf<{ own: boolean }>(database, { name: 'find-owner-of-upload' })`
    select exists (select from attachment_uploads where id = ${id} and owner_id = ${personId})
    or exists (select from attachments where id = ${id} and owner_id = ${personId}) as own`;
  return found?.own === true;
}

/** Records the process as a writer; call before writing. Returns null if the upload is closed for writing. */
export const claimUpload = (database: Queryable, id: string, processId: string, at: Date) =>
  rowOf<UploadRow>(database, { name: 'claim-upload' })`
    update attachment_uploads set touched_at = ${at},
      writers = case when ${processId} = any(writers) then writers else writers || ${processId}::uuid end
    where id = ${id} and not sealed returning *`;

export async function recordReceived(
  database: Queryable,
  id: string,
  received: number,
  at: Date,
): Promise<void> {
  await execute(database, { name: 'note-upload' })`
    update attachment_uploads set received = ${received}, touched_at = ${at} where id = ${id}`;
}

export async function deleteUpload(database: Queryable, id: string): Promise<void> {
  await execute(database)`delete from attachment_uploads where id = ${id}`;
}
