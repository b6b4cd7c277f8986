/**
 * What is still arriving. That it is under way stands in the database, its bytes on the storage: where they end there is
 * where the upload goes on, also after the connection or the server was lost.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomUUID, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { uploadErrors } from '@vestibule/contract/attachments/errors';
import { DataStore, Upload } from '@tus/server';
import type { Database } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { createFinishUpload } from './finish-upload.ts';
import type { FileStorage } from '../../../platform/storage/storage.ts';
import type { UploadRow } from './upload-row.ts';

/** How often an upload that is under way is noted as alive. */
const touchEveryMs = 60_000;
/** Hashes under way that this process keeps; for others the file is read again at the end. */
const hashesKept = 10_000;

export type UploadStore = ReturnType<typeof createUploadStore>;

export function createUploadStore(deps: {
  database: Database;
  storage: FileStorage;
  /** Whether a new file has to be checked for viruses before others see it. */
  scans: boolean;
  onStored: (id: string) => void;
  now: () => number;
}) {
  const { database, storage, now } = deps;
  /** The hash of what came so far, by upload. */
  const hashes = new Map<string, { hash: Hash; at: number }>();
  /** Stands among an upload's writers. */
  const processId = randomUUID();
  const writing = new Map<string, Promise<unknown>>();
  /** Whose bytes are written in a call of the tus server. */
  const receiving = new AsyncLocalStorage<IncomingMessage>();

  async function find(id: string): Promise<UploadRow | null> {
    const { rows } = await database.query<UploadRow>({
      name: 'find-upload',
      text: 'select * from attachment_uploads where id = $1',
      values: [id],
    });
    return rows[0] ?? null;
  }

  /** Before anything of it is opened. Null once it is sealed: then nothing is written any more. */
  async function claim(id: string): Promise<UploadRow | null> {
    const { rows } = await database.query<UploadRow>({
      name: 'claim-upload',
      text: `update attachment_uploads set touched_at = $3,
               writers = case when $2 = any(writers) then writers else writers || $2::uuid end
             where id = $1 and not sealed returning *`,
      values: [id, processId, new Date(now())],
    });
    return rows[0] ?? null;
  }

  async function note(id: string, received: number): Promise<void> {
    await database.query({
      name: 'note-upload',
      text: 'update attachment_uploads set received = $2, touched_at = $3 where id = $1',
      values: [id, received, new Date(now())],
    });
  }

  /** Writes what a request brings, to its end or until it breaks off, and gives where the file ends then. */
  async function write({ id, size }: UploadRow, offset: number, request: IncomingMessage): Promise<number> {
    const known = offset === 0 ? { hash: createHash('sha256'), at: 0 } : hashes.get(id);
    const progress = known?.at === offset ? known : null;
    if (progress) keepHash(id, progress);
    else hashes.delete(id);
    let end = offset;
    let noted = now();

    async function* counted() {
      for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (end + piece.length > size) throw fail(uploadErrors.lengthInvalid);
        yield piece;
        progress?.hash.update(piece);
        if (progress) progress.at += piece.length;
        end += piece.length;
        if (noted + touchEveryMs > now()) continue;
        noted = now();
        await note(id, end);
      }
    }

    try {
      await storage.append(id, offset, counted());
      return end;
    } catch (error) {
      end = (await storage.sizeOf(id).catch(() => null)) ?? offset;
      // What was hashed need not have been stored.
      if (progress?.at !== end) hashes.delete(id);
      const isLost = request.destroyed && !request.readableEnded;
      throw isLost ? fail(uploadErrors.busy, { cause: error }) : error;
    } finally {
      await note(id, end);
    }
  }

  function keepHash(id: string, progress: { hash: Hash; at: number }): void {
    hashes.set(id, progress);
    if (hashes.size > hashesKept) hashes.delete(hashes.keys().next().value as string);
  }

  async function remove(id: string): Promise<void> {
    hashes.delete(id);
    await storage.remove(id);
    await forget(id);
  }

  async function forget(id: string): Promise<void> {
    await database.query({ text: 'delete from attachment_uploads where id = $1', values: [id] });
  }

  const finish = createFinishUpload({
    ...deps,
    processId,
    knownHash({ id, size }) {
      const known = hashes.get(id);
      return known?.at === size ? known.hash.copy().digest() : null;
    },
    forgetHash: (id) => hashes.delete(id),
    remove,
  });

  /** What the tus server reads and writes. Whose upload it is has been looked at before. */
  const store = new (class extends DataStore {
    override extensions = ['creation', 'creation-with-upload', 'termination'];

    override async create(upload: Upload): Promise<Upload> {
      try {
        await storage.create(upload.id, upload.size ?? 0);
      } catch (error) {
        // At most an empty file is left behind where the storage is away; the room is free again.
        await storage.remove(upload.id).catch(() => {});
        await forget(upload.id);
        throw error;
      }
      return upload;
    }

    override async getUpload(id: string): Promise<Upload> {
      await writing.get(id)?.catch(() => {});
      const upload = await find(id);
      // It is an attachment by now: all of it is there.
      const size = upload ? upload.size : await finishedSize(id);
      const offset = upload ? await storage.sizeOf(id) : size;
      if (size === null || offset === null) throw fail(uploadErrors.notFound);
      return new Upload({ id, size, offset, ...(upload && { metadata: { name: upload.name } }) });
    }

    /** `course` has no bytes. It ends with the request, or before: then somebody else wants to go on with the upload. */
    override async write(course: Readable, id: string, offset: number): Promise<number> {
      const request = receiving.getStore();
      const upload = request ? await claim(id) : null;
      // The rest of nothing, sent to what is finished already.
      if (!upload || !request) {
        request?.resume();
        return offset;
      }
      const breakOff = () => request.readableEnded || request.destroy();
      course.once('end', breakOff).once('error', breakOff).resume();
      const written = write(upload, offset, request);
      writing.set(id, written);
      try {
        return await written;
      } finally {
        course.off('end', breakOff);
        writing.delete(id);
      }
    }

    override remove(id: string): Promise<void> {
      return remove(id);
    }
  })();

  async function finishedSize(id: string): Promise<number | null> {
    const { rows } = await database.query<{ size: number }>({
      name: 'find-finished-upload',
      text: 'select size from attachments where id = $1 and deleted_at is null',
      values: [id],
    });
    return rows[0]?.size ?? null;
  }

  return {
    store,
    finish,
    remove,

    /** What the tus server writes during `call` are the bytes of this request. */
    receiving: <Result>(request: IncomingMessage, call: () => Promise<Result>): Promise<Result> =>
      receiving.run(request, call),

    /** Whether somebody began this upload, or owns the attachment that it has become. */
    async isOf(id: string, personId: string): Promise<boolean> {
      const { rows } = await database.query<{ own: boolean }>({
        name: 'find-owner-of-upload',
        text: `select exists (select from attachment_uploads where id = $1 and owner_id = $2)
                 or exists (select from attachments where id = $1 and owner_id = $2) as own`,
        values: [id, personId],
      });
      return rows[0]?.own === true;
    },

    /** All that is being written is on the storage when this resolves. */
    async settled(): Promise<void> {
      await Promise.allSettled(writing.values());
    },
  };
}
