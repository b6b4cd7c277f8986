import { cutText } from '@vestibule/contract/rules/cut-text';
import { filesMaximum, undoMinutes, uploadErrors } from '@vestibule/contract/attachments/errors';
import { advisoryLocks } from '../../../platform/database/advisory-locks.ts';
import type { Config } from '../../../platform/config/read-config.ts';
import { execute, rowOf, type DatabaseDeps } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import type { Caller } from '../../../platform/http/implement.ts';
import { readDeletedBytes, readUsage } from '../files/attachment-store.ts';
import type { FileLimits } from '../files/file-limits.ts';
import { cleanFileName } from '../files/file-name.ts';

const maxUnfinishedUploads = 2_000;
/** Maximum length of a submitted file name; it is shortened when stored. */
const maxSubmittedNameLength = 4_000;

type UploadMetadata = { name: string; type: string; sha256: Buffer | null };

/** Parses Upload-Metadata (tus 1.0, Creation): comma-separated pairs of a key and a base64 value. */
export function parseMetadata(header: string): UploadMetadata {
  const values = new Map<string, string>();
  for (const pair of header.split(',')) {
    const [, key, value = ''] = /^\s*([!-+\-.-~]+)(?: ([\d+/A-Za-z]*={0,2}))?\s*$/.exec(pair) ?? [];
    if (key === undefined || value.length % 4 !== 0 || values.has(key))
      throw fail(uploadErrors.metadataInvalid);
    values.set(key, Buffer.from(value, 'base64').toString());
  }
  const name = values.get('name');
  const sha256 = values.get('sha256') ?? null;
  const isHash = sha256 === null || /^[0-9a-f]{64}$/i.test(sha256);
  if (name === undefined || name.length > maxSubmittedNameLength || !isHash)
    throw fail(uploadErrors.metadataInvalid);
  return {
    name,
    type: values.get('type') ?? '',
    sha256: sha256 === null ? null : Buffer.from(sha256, 'hex'),
  };
}

/** Reserves the space for an upload. Throws if a limit is reached. */
export async function createUpload(
  deps: DatabaseDeps & { limits: Config['attachments']['limits']; fileLimits: FileLimits },
  { id, size, name, type, sha256 }: UploadMetadata & { id: string; size: number },
  caller: Caller,
): Promise<void> {
  const { limits } = deps;
  if (size > limits.fileBytes)
    throw fail(uploadErrors.fileTooLarge, { values: { size, sizeLimit: limits.fileBytes } });
  await deps.fileLimits.uploads(caller);
  const at = new Date(deps.now());
  await deps.database.transaction(async (transaction) => {
    const counts = await rowOf<{ unfinished: number }>(transaction, {
      name: 'begin-upload',
      text: `with begun as (
               insert into attachment_uploads (id, owner_id, name, declared_type, declared_sha256, size, created_at, touched_at)
               values ($1, $2, $3, $4, $5, $6, $7, $7))
             select count(*) as unfinished from (
               select from attachment_uploads where owner_id = $2 limit ${maxUnfinishedUploads}) as others`,
      values: [id, caller.id, cleanFileName(name), cutText(type, 250).replaceAll('\0', ''), sha256, size, at],
    });
    const unfinished = counts?.unfinished ?? 0;
    if (unfinished >= maxUnfinishedUploads) throw fail(uploadErrors.tooManyUnfinished);
    // Other transactions do not see uncommitted reservations, so the quota check is serialized across all processes.
    const siteLock = execute(transaction, 'select pg_advisory_xact_lock($1)', [advisoryLocks.attachmentRoom]);
    siteLock.catch(() => {});
    const { mine: ownUsage, all: siteUsage } = await readUsage(transaction, caller.id);
    if (ownUsage.files + unfinished >= filesMaximum) throw fail(uploadErrors.tooManyFiles);
    const space = limits.personBytes;
    if (ownUsage.bytes > space) {
      const used = ownUsage.bytes - size;
      const deleted = await readDeletedBytes(transaction, caller.id);
      const waitingHelps = used - deleted + size <= space;
      throw fail(uploadErrors.quotaReached, {
        values: { size, space, freeSpace: Math.max(0, space - used), deletedSpace: deleted },
        ...(waitingHelps && { retryAfterSeconds: (undoMinutes + 1) * 60 }),
      });
    }
    if (siteUsage.bytes > limits.siteBytes) throw fail(uploadErrors.siteFull);
  });
}
