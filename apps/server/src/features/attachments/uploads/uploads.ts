/** Uploads by tus 1.0 with creation and termination (https://tus.io/protocols/resumable-upload). */
import { setTimeout as delay } from 'node:timers/promises';
import { uploadErrors, filesMaximum, undoMinutes } from '@vestibule/contract/attachments/errors';
import { uploadsPath, getUsage, listUploads, uploadLifetimeHours } from '@vestibule/contract/attachments';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../../platform/config/read-config.ts';
import {
  execute,
  rawSql,
  rowOf,
  rowsOf,
  type Database,
  type DatabaseDeps,
} from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { type Caller, implement, type Implementation } from '../../../platform/http/implement.ts';
import { originOf } from '../../../platform/http/mount.ts';
import { StorageError } from '../../../platform/storage/storage.ts';
import type { FileLimits } from '../files/file-limits.ts';
import type { FinishUpload } from './finish-upload.ts';
import type { UploadContent } from './upload-content.ts';
import { ownsUpload, type UploadRow } from './upload-rows.ts';
import { readDeletedBytes, readUsage } from '../files/attachment-store.ts';
import { cutText } from '@vestibule/contract/rules/cut-text';
import { advisoryLocks } from '../../../platform/database/advisory-locks.ts';
import { cleanFileName } from '../files/file-name.ts';
import { isUuid } from '../../../platform/database/new-id.ts';
import { hourMs } from '../../../platform/time-units.ts';

const version = '1.0.0';
const bodyType = 'application/offset+octet-stream';
/** Time without data after which a connection is closed. */
const idleTimeoutMs = 60_000;
/** Time in which the body of a rejected request is read, so that the client reads the response. */
const drainTimeoutMs = 300;
/** Time in which an earlier request stores its received bytes when a later request takes over the upload. */
const takeoverDelayMs = 500;

/** Time in which an earlier request must end when a later one takes over the upload. */
const lockTimeoutMs = 10_000;

export function registerUploads(
  app: FastifyInstance,
  deps: {
    database: Database;
    uploadContent: UploadContent;
    finish: FinishUpload;
    limits: Config['attachments']['limits'];
    fileLimits: FileLimits;
    now: () => number;
    newId: () => string;
  },
): void {
  const { uploadContent } = deps;
  const withUploadLock = createUploadLocks();

  /** Writes the body at `offset` and finishes a complete upload. Returns the new size. */
  async function receive(request: FastifyRequest, id: string, offset: number): Promise<number> {
    const { raw } = request;
    raw.setTimeout(idleTimeoutMs, () => raw.destroy());
    const stop = () => void setTimeout(() => raw.readableEnded || raw.destroy(), takeoverDelayMs).unref();
    const { size, end } = await withUploadLock(id, stop, async () => {
      const progress = await uploadContent.progressOf(id);
      if (progress.offset !== offset) throw fail(uploadErrors.offsetMismatch);
      if (Number(request.headers['content-length'] ?? 0) > progress.size - offset)
        throw fail(uploadErrors.lengthInvalid);
      return { size: progress.size, end: await uploadContent.append(id, offset, raw) };
    });
    if (end === size) await finish(request, id);
    return end;
  }

  function finish(request: FastifyRequest, id: string): Promise<void> {
    return deps.finish(id, request.caller as Caller, originOf(request));
  }

  async function create(request: FastifyRequest, reply: FastifyReply) {
    const { headers } = request;
    const size = parseSize(headers['upload-length']);
    const metadata = parseMetadata(String(headers['upload-metadata'] ?? ''));
    const id = deps.newId();
    await createUpload(deps, { id, size, ...metadata }, request.caller as Caller);
    await uploadContent.create(id, size);
    if (headers['content-type'] === bodyType) reply.header('upload-offset', await receive(request, id, 0));
    else if (size === 0) await finish(request, id);
    return reply.code(201).header('location', `${uploadsPath}/${id}`).send();
  }

  async function sendProgress(request: FastifyRequest, reply: FastifyReply) {
    const id = await requireOwn(request);
    const { size, offset, name } = await withUploadLock(
      id,
      () => {},
      () => uploadContent.progressOf(id),
    );
    // The response to the last chunk may have been lost before the upload was finished.
    if (offset === size) await finish(request, id);
    reply.headers({ 'upload-offset': offset, 'upload-length': size });
    if (name !== undefined) reply.header('upload-metadata', `name ${Buffer.from(name).toString('base64')}`);
    return reply.code(200).send();
  }

  async function append(request: FastifyRequest, reply: FastifyReply) {
    const offset = parseSize(request.headers['upload-offset']);
    if (request.headers['content-type'] !== bodyType) throw fail(uploadErrors.lengthInvalid);
    const end = await receive(request, await requireOwn(request), offset);
    return reply.code(204).header('upload-offset', end).send();
  }

  async function cancel(request: FastifyRequest, reply: FastifyReply) {
    const id = await requireOwn(request);
    await withUploadLock(
      id,
      () => {},
      async () => {
        const { size, offset } = await uploadContent.progressOf(id);
        if (offset === size) throw fail(requestErrors.malformed);
        await uploadContent.remove(id);
      },
    );
    return reply.code(204).send();
  }

  /** Returns the upload id of the URL if the caller owns the upload. */
  async function requireOwn({ params, caller }: FastifyRequest): Promise<string> {
    const { uploadId: id } = params as { uploadId: string };
    const isOwn = isUuid(id) && (await ownsUpload(deps.database, id, (caller as Caller).id));
    if (!isOwn) throw fail(uploadErrors.notFound);
    return id;
  }

  void app.register((scope, _options, done) => {
    scope.addContentTypeParser(bodyType, (_request, _payload, parserDone) => parserDone(null));
    const config = { access: 'member' as const, hasNoBodyTimeLimit: true };
    const url = `${uploadsPath}/:uploadId`;
    scope.options(uploadsPath, { config }, (_request, reply) =>
      reply
        .code(204)
        .headers({ 'tus-version': version, 'tus-extension': 'creation,creation-with-upload,termination' })
        .send(),
    );
    scope.post(uploadsPath, { config }, withTusProtocol(create));
    scope.head(url, { config }, withTusProtocol(sendProgress));
    scope.patch(url, { config }, withTusProtocol(append));
    scope.delete(url, { config }, withTusProtocol(cancel));
    done();
  });
  stopWithServer(app, uploadContent);
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Checks the protocol version and makes error responses readable for clients that are still sending. */
const withTusProtocol =
  (handle: Handler): Handler =>
  async (request, reply) => {
    const { raw } = request;
    reply.headers({ 'tus-resumable': version, 'cache-control': 'no-store' });
    try {
      if (request.headers['tus-resumable'] === version) return await handle(request, reply);
      reply.header('tus-version', version);
      throw fail(uploadErrors.versionUnsupported);
    } catch (error) {
      if (!raw.complete) await drain(request, reply);
      throw toApiError(error);
    }
  };

/**
 * Runs `work` while no other work on the upload runs. A later call stops the running work through its `stop`, and
 * throws `upload.busy` if that work does not end in time.
 */
type WithUploadLock = <Result>(id: string, stop: () => void, work: () => Promise<Result>) => Promise<Result>;

function createUploadLocks(): WithUploadLock {
  const holders = new Map<string, { stop: () => void; released: Promise<void> }>();

  return async (id, stop, work) => {
    const timeout = delay(lockTimeoutMs, 'timeout' as const, { ref: false });
    for (let holder = holders.get(id); holder; holder = holders.get(id)) {
      holder.stop();
      if ((await Promise.race([holder.released, timeout])) === 'timeout')
        throw fail(uploadErrors.busy, { retryAfterSeconds: 5 });
    }
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    holders.set(id, { stop, released });
    try {
      return await work();
    } finally {
      holders.delete(id);
      release();
    }
  };
}

/** Ends running uploads when the server stops. Received bytes are stored; clients resume later. */
function stopWithServer(app: FastifyInstance, uploadContent: UploadContent): void {
  const activeRequests = new Set<FastifyRequest>();
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.routeOptions.config.hasNoBodyTimeLimit) {
      activeRequests.add(request);
      request.raw.once('close', () => activeRequests.delete(request));
    }
    done();
  });
  app.addHook('preClose', async () => {
    for (const { raw } of activeRequests) if (!raw.complete) raw.destroy();
    await uploadContent.settled();
  });
}

function parseSize(header: string | string[] | undefined): number {
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header)) throw fail(uploadErrors.lengthInvalid);
  return Number(header);
}

/** Gives the client time to finish sending, because it reads the response only then. */
async function drain({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  raw.resume();
  await Promise.race([new Promise((resolve) => raw.once('end', resolve)), delay(drainTimeoutMs)]);
  if (!raw.complete) reply.header('connection', 'close');
}

function toApiError(error: unknown): unknown {
  if (!(error instanceof StorageError)) return error;
  return fail(error.reason === 'full' ? uploadErrors.storageFull : uploadErrors.storageUnavailable, {
    retryAfterSeconds: 60,
    cause: error,
  });
}

export function uploadRoutes(deps: {
  database: Database;
  limits: Config['attachments']['limits'];
  scans: boolean;
}): Implementation[] {
  const { database } = deps;
  return [
    implement(listUploads, async ({ caller }) => {
      const rows = await rowsOf<UploadRow>(database)`
        select * from attachment_uploads where owner_id = ${caller.id} order by created_at desc limit 100`;
      return {
        rows: rows.map(({ id, name, size, received, created_at: createdAt, touched_at: touchedAt }) => ({
          id,
          name,
          size,
          received,
          createdAt: createdAt.toISOString(),
          expiresAt: new Date(touchedAt.getTime() + uploadLifetimeHours * hourMs).toISOString(),
        })),
      };
    }),

    implement(getUsage, async ({ caller }) => {
      const [{ mine: ownUsage, all: siteUsage }, deleted] = await Promise.all([
        readUsage(database, caller.id),
        readDeletedBytes(database, caller.id),
      ]);
      const { fileBytes, personBytes, siteBytes } = deps.limits;
      return {
        mine: { used: ownUsage.bytes, deleted, files: ownUsage.files, quota: personBytes },
        all: { used: siteUsage.bytes, quota: siteBytes },
        fileMaximum: fileBytes,
        scanned: deps.scans,
      };
    }),
  ];
}

const maxUnfinishedUploads = 2_000;
/** Maximum length of a submitted file name; it is shortened when stored. */
const maxSubmittedNameLength = 4_000;

type UploadMetadata = { name: string; type: string; sha256: Buffer | null };

/** Parses Upload-Metadata (tus 1.0, Creation): comma-separated pairs of a key and a base64 value. */
function parseMetadata(header: string): UploadMetadata {
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
async function createUpload(
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
    const counts = await rowOf<{ unfinished: number }>(transaction, { name: 'begin-upload' })`
      with inserted as (
        insert into attachment_uploads (id, owner_id, name, declared_type, declared_sha256, size, created_at,
          touched_at)
        values (${id}, ${caller.id}, ${cleanFileName(name)}, ${cutText(type, 250).replaceAll('\0', '')}, ${sha256},
          ${size}, ${at}, ${at}))
      select count(*) as unfinished from (
        select from attachment_uploads where owner_id = ${caller.id} limit ${rawSql(maxUnfinishedUploads)}) as others`;
    const unfinished = counts?.unfinished ?? 0;
    if (unfinished >= maxUnfinishedUploads) throw fail(uploadErrors.tooManyUnfinished);
    // Other transactions do not see uncommitted reservations, so the quota check is serialized across all processes.
    const siteLock = execute(transaction)`select pg_advisory_xact_lock(${advisoryLocks.attachmentRoom})`;
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
