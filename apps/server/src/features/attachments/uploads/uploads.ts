/**
 * Takes uploads in by the tus protocol 1.0. The protocol itself is @tus/server's; here stands who may upload what, and
 * that its errors look like those of every other call.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { undoMinutes, uploadErrors } from '@vestibule/contract/attachments/errors';
import { uploadsPath } from '@vestibule/contract/attachments';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { ErrorDefinition } from '@vestibule/contract/route';
import { Server, type Upload } from '@tus/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { advisoryLocks } from '../../../platform/database/advisory-locks.ts';
import type { Database } from '../../../platform/database/database.ts';
import { Failure, fail } from '../../../platform/errors/failure.ts';
import type { Caller, Origin } from '../../../platform/http/implement.ts';
import { originOf } from '../../../platform/http/mount.ts';
import { readDeletedBytes, readUsage } from '../files/attachment-store.ts';
import type { FileLimits } from '../files/file-limits.ts';
import { cleanFileName } from '../files/file-name.ts';
import type { AttachmentLimits } from './limits.ts';
import { StorageError } from '../../../platform/storage/storage.ts';
import { createUploadLocks } from './upload-locks.ts';
import type { UploadStore } from './upload-store.ts';

const bodyType = 'application/offset+octet-stream';
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const wholeNumber = /^\d{1,15}$/;
const unfinishedMaximum = 2_000;
/** A connection on which nothing arrives for so long is given up. */
const silenceMs = 60_000;
/** What of an unwanted body is still taken, so that the answer is read before the connection ends. */
const drainMs = 300;
/** How long an upload goes on to write what it has when another connection wants to go on with it. */
const takeOverMs = 500;

type UploadCall = { caller: Caller; origin: Origin; failure?: Error };

export function acceptUploads(
  app: FastifyInstance,
  deps: {
    database: Database;
    uploads: UploadStore;
    limits: AttachmentLimits;
    counting: FileLimits;
    now: () => number;
    newId: () => string;
  },
): void {
  const { database, uploads, limits } = deps;
  const calls = new WeakMap<object, UploadCall>();
  const callOf = (request: object) => calls.get(request) as UploadCall;

  /** Reserves the room for a new upload. */
  async function begin({ id, size = 0, metadata }: Upload, { caller }: UploadCall): Promise<void> {
    if (size > limits.fileBytes)
      throw fail(uploadErrors.fileTooLarge, { values: { size, sizeLimit: limits.fileBytes } });
    const { name, type, sha256 } = metadata ?? {};
    const isHash = sha256 == null || /^[0-9a-f]{64}$/i.test(sha256);
    if (typeof name !== 'string' || name.length > 4_000 || !isHash) throw fail(uploadErrors.metadataInvalid);
    await deps.counting.uploads(caller);
    const at = new Date(deps.now());
    await database.transaction(async (transaction) => {
      const { rows } = await transaction.query<{ unfinished: number }>({
        name: 'begin-upload',
        text: `with begun as (
                 insert into attachment_uploads (id, owner_id, name, declared_type, declared_sha256, size, created_at, touched_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $7))
               select count(*) as unfinished from (
                 select from attachment_uploads where owner_id = $2 limit ${unfinishedMaximum}) as others`,
        values: [
          id,
          caller.id,
          cleanFileName(name),
          (type ?? '').slice(0, 250).replaceAll('\0', ''),
          sha256 == null ? null : Buffer.from(sha256, 'hex'),
          size,
          at,
        ],
      });
      if ((rows[0]?.unfinished ?? 0) >= unfinishedMaximum) throw fail(uploadErrors.tooManyUnfinished);
      // Nobody reads what others have reserved until that is committed: the last step is done by one after the other, on all
      // server processes together.
      const alone = transaction.query({
        text: 'select pg_advisory_xact_lock($1)',
        values: [advisoryLocks.attachmentRoom],
      });
      alone.catch(() => {});
      const { mine, all } = await readUsage(transaction, caller.id);
      if (mine.bytes > limits.personBytes)
        throw noRoom(size, mine.bytes - size, await readDeletedBytes(transaction, caller.id));
      if (all.bytes > limits.siteBytes) throw fail(uploadErrors.siteFull);
    });
  }

  /** Says how much is left of somebody's room, and whether waiting is enough. */
  function noRoom(size: number, used: number, deleted: number): Failure {
    const space = limits.personBytes;
    const waitingHelps = used - deleted + size <= space;
    return fail(uploadErrors.quotaReached, {
      values: { size, space, freeSpace: Math.max(0, space - used), deletedSpace: deleted },
      ...(waitingHelps && { retryAfterSeconds: (undoMinutes + 1) * 60 }),
    });
  }

  const server = new Server({
    path: uploadsPath,
    datastore: uploads.store,
    locker: createUploadLocks(),
    relativeLocation: true,
    allowedOrigins: [],
    lockDrainTimeout: takeOverMs,
    disableTerminationForFinishedUploads: true,
    namingFunction: () => deps.newId(),
    getFileIdFromRequest: (_request, last) => (last !== undefined && uuid.test(last) ? last : undefined),
    async onIncomingRequest(request, id) {
      if (request.method !== 'POST' && !(await uploads.isOf(id, callOf(request).caller.id)))
        throw fail(uploadErrors.notFound);
    },
    async onUploadCreate(request, upload) {
      await begin(upload, callOf(request));
      return {};
    },
    async onUploadFinish(request, { id }) {
      const { caller, origin } = callOf(request);
      await uploads.finish(id, caller, origin);
      return {};
    },
    onResponseError(request, error) {
      callOf(request).failure = failureOf(error);
      return undefined;
    },
  });

  async function handle(request: FastifyRequest, reply: FastifyReply) {
    const { raw } = request;
    const { 'upload-length': length = '0', 'upload-offset': offset = '0' } = request.headers;
    if (!wholeNumber.test(String(length)) || !wholeNumber.test(String(offset)))
      throw fail(uploadErrors.lengthInvalid);
    const call: UploadCall = { caller: request.caller as Caller, origin: originOf(request) };
    const asked = webRequest(request);
    calls.set(asked, call);
    raw.setTimeout(silenceMs, () => raw.destroy());
    const answer = await uploads.receiving(raw, () => server.handleWeb(asked));
    if (answer.status >= 400) {
      if (!raw.complete) await drain(request, reply);
      throw call.failure ?? fail(refusalOf(answer.status, await answer.text()));
    }
    const size = answer.headers.get('upload-length');
    // The answer that all was there may have been lost, with the server or the connection, before it became a file.
    if (request.method === 'HEAD' && size !== null && size === answer.headers.get('upload-offset'))
      await uploads.finish((request.params as { uploadId: string }).uploadId, call.caller, call.origin);
    for (const [name, value] of answer.headers)
      if (/^(?:tus-|upload-|location$|connection$)/.test(name)) reply.header(name, value);
    return reply.code(answer.status).header('cache-control', 'no-store').send();
  }

  void app.register((scope, _options, done) => {
    // The body is left alone, however long it is.
    scope.addContentTypeParser(bodyType, (_request, _payload, parsed) => parsed(null));
    const shared = {
      config: { access: 'member' as const, bodyTakesLong: true },
      handler: handle,
    };
    scope.route({ ...shared, method: ['POST', 'OPTIONS'], url: uploadsPath });
    scope.route({ ...shared, method: ['HEAD', 'PATCH', 'DELETE'], url: `${uploadsPath}/:uploadId` });
    done();
  });

  const underWay = new Set<FastifyRequest>();
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.routeOptions.config.bodyTakesLong) {
      underWay.add(request);
      request.raw.once('close', () => underWay.delete(request));
    }
    done();
  });
  // What has arrived is kept; the browser goes on with the next server.
  app.addHook('preClose', async () => {
    for (const { raw } of underWay) if (!raw.complete) raw.destroy();
    await uploads.settled();
  });
}

/**
 * The request as the tus server wants it. Its body has no bytes and ends when the real one ends: the streams that the tus
 * server puts between would halve the speed, so the store takes the bytes from the request.
 */
function webRequest({ raw, headers, url, method }: FastifyRequest): Request {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) sent.set(name, Array.isArray(value) ? value.join(', ') : value);
  return new Request(`http://localhost${url}`, {
    method,
    headers: sent,
    ...(headers['content-type'] === bodyType && { body: courseOf(raw), duplex: 'half' }),
  });
}

function courseOf(raw: IncomingMessage): ReadableStream {
  const course = new Readable({ read() {} });
  raw.once('end', () => course.push(null));
  raw.once('close', () => raw.readableEnded || course.destroy(new Error('the connection was lost')));
  return Readable.toWeb(course) as ReadableStream;
}

/** A browser that is still sending reads no answer: it gets a moment to stop. */
async function drain({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  raw.resume();
  await Promise.race([new Promise((resolve) => raw.once('end', resolve)), delay(drainMs)]);
  if (!raw.complete) reply.header('connection', 'close');
}

/** What the tus server throws are objects with a status. */
function failureOf(error: unknown): Error {
  if (error instanceof Failure) return error;
  if (error instanceof StorageError)
    return fail(error.reason === 'full' ? uploadErrors.storageFull : uploadErrors.storageUnavailable, {
      retryAfterSeconds: 60,
      cause: error,
    });
  const { status_code: status, body = '' } = error as { status_code?: number; body?: string };
  return status === undefined ? (error as Error) : fail(refusalOf(status, body));
}

function refusalOf(status: number, said: string): ErrorDefinition {
  if (/metadata/i.test(said)) return uploadErrors.metadataInvalid;
  // Without Upload-Offset or with another type of body, the protocol says 403.
  if (/size exceeded|length|upload-offset h|content-type/i.test(said)) return uploadErrors.lengthInvalid;
  if (/aborted/i.test(said)) return uploadErrors.busy;
  const byStatus: Record<number, ErrorDefinition> = {
    404: uploadErrors.notFound,
    409: uploadErrors.offsetMismatch,
    410: uploadErrors.notFound,
    412: uploadErrors.versionUnsupported,
    501: uploadErrors.lengthInvalid,
  };
  return byStatus[status] ?? (status < 500 ? requestErrors.malformed : requestErrors.unexpected);
}
