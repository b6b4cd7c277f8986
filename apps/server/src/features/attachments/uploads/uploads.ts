/**
 * Resumable uploads by the tus protocol 1.0 with Creation, Creation With Upload and Termination
 * (https://tus.io/protocols/resumable-upload).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { uploadErrors } from '@vestibule/contract/attachments/errors';
import { uploadsPath } from '@vestibule/contract/attachments';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../../platform/config/read-config.ts';
import type { Database } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import type { Caller } from '../../../platform/http/implement.ts';
import { originOf } from '../../../platform/http/mount.ts';
import { StorageError } from '../../../platform/storage/storage.ts';
import type { FileLimits } from '../files/file-limits.ts';
import { beginUpload, readMetadata } from './create-upload.ts';
import type { FinishUpload } from './finish-upload.ts';
import type { RejectedChunks } from './rejected-chunks.ts';
import type { UploadBytes } from './upload-content.ts';
import { createUploadLocks } from './upload-locks.ts';
import { isUploadOf } from './upload-rows.ts';

const version = '1.0.0';
const bodyType = 'application/offset+octet-stream';
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Time without data after which a connection is closed. */
const silenceMs = 60_000;
/** Time in which the body of a rejected request is read, so that the client reads the response. */
const drainMs = 300;
/** Time that an earlier request gets to store its received bytes when a later one takes over. */
const takeOverMs = 500;

export function acceptUploads(
  app: FastifyInstance,
  deps: {
    database: Database;
    bytes: UploadBytes;
    finish: FinishUpload;
    limits: Config['attachments']['limits'];
    counting: FileLimits;
    rejectedChunks: RejectedChunks;
    now: () => number;
    newId: () => string;
  },
): void {
  const { bytes } = deps;
  const alone = createUploadLocks();

  /** Writes the body at `offset` and finishes a complete upload. Returns the new size. */
  async function receive(request: FastifyRequest, id: string, offset: number): Promise<number> {
    const { raw } = request;
    raw.setTimeout(silenceMs, () => raw.destroy());
    const stop = () => void setTimeout(() => raw.readableEnded || raw.destroy(), takeOverMs).unref();
    const { size, end } = await alone(id, stop, async () => {
      const progress = await bytes.progressOf(id);
      if (progress.offset !== offset) throw fail(uploadErrors.offsetMismatch);
      if (Number(request.headers['content-length'] ?? 0) > progress.size - offset)
        throw fail(uploadErrors.lengthInvalid);
      return { size: progress.size, end: await bytes.append(id, offset, raw) };
    });
    if (end === size) await finish(request, id);
    return end;
  }

  function finish(request: FastifyRequest, id: string): Promise<void> {
    return deps.finish(id, request.caller as Caller, originOf(request));
  }

  async function begin(request: FastifyRequest, reply: FastifyReply) {
    const { headers } = request;
    const size = wholeNumber(headers['upload-length']);
    const described = readMetadata(String(headers['upload-metadata'] ?? ''));
    const id = deps.newId();
    await beginUpload(deps, { id, size, ...described }, request.caller as Caller);
    await bytes.create(id, size);
    if (headers['content-type'] === bodyType) reply.header('upload-offset', await receive(request, id, 0));
    else if (size === 0) await finish(request, id);
    return reply.code(201).header('location', `${uploadsPath}/${id}`).send();
  }

  async function tellProgress(request: FastifyRequest, reply: FastifyReply) {
    const id = await requireOwn(request);
    const { size, offset, name } = await alone(
      id,
      () => {},
      () => bytes.progressOf(id),
    );
    // The response to the last chunk may have been lost before the upload was finished.
    if (offset === size) await finish(request, id);
    reply.headers({ 'upload-offset': offset, 'upload-length': size });
    if (name !== undefined) reply.header('upload-metadata', `name ${Buffer.from(name).toString('base64')}`);
    return reply.code(200).send();
  }

  async function append(request: FastifyRequest, reply: FastifyReply) {
    const offset = wholeNumber(request.headers['upload-offset']);
    if (request.headers['content-type'] !== bodyType) throw fail(uploadErrors.lengthInvalid);
    const end = await receive(request, await requireOwn(request), offset);
    return reply.code(204).header('upload-offset', end).send();
  }

  async function cancel(request: FastifyRequest, reply: FastifyReply) {
    const id = await requireOwn(request);
    await alone(
      id,
      () => {},
      async () => {
        const { size, offset } = await bytes.progressOf(id);
        if (offset === size) throw fail(requestErrors.malformed);
        await bytes.remove(id);
      },
    );
    return reply.code(204).send();
  }

  /** Returns the upload id of the URL if the caller owns the upload. */
  async function requireOwn({ params, caller }: FastifyRequest): Promise<string> {
    const { uploadId: id } = params as { uploadId: string };
    const isOwn = uuid.test(id) && (await isUploadOf(deps.database, id, (caller as Caller).id));
    if (!isOwn) throw fail(uploadErrors.notFound);
    return id;
  }

  void app.register((scope, _options, done) => {
    // The body is streamed, whatever its length.
    scope.addContentTypeParser(bodyType, (_request, _payload, parsed) => parsed(null));
    const config = { access: 'member' as const, bodyTakesLong: true };
    const url = `${uploadsPath}/:uploadId`;
    scope.addHook('preHandler', (request, _reply, next) => {
      deps.rejectedChunks.look(request.headers);
      next();
    });
    scope.options(uploadsPath, { config }, (_request, reply) =>
      reply
        .code(204)
        .headers({ 'tus-version': version, 'tus-extension': 'creation,creation-with-upload,termination' })
        .send(),
    );
    scope.post(uploadsPath, { config }, speakTus(begin));
    scope.head(url, { config }, speakTus(tellProgress));
    scope.patch(url, { config }, speakTus(append));
    scope.delete(url, { config }, speakTus(cancel));
    done();
  });
  endWithServer(app, bytes);
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Checks the protocol version and makes error responses readable for clients that are still sending. */
function speakTus(handle: Handler): Handler {
  return async (request, reply) => {
    const { raw } = request;
    reply.headers({ 'tus-resumable': version, 'cache-control': 'no-store' });
    try {
      if (request.headers['tus-resumable'] === version) return await handle(request, reply);
      reply.header('tus-version', version);
      throw fail(uploadErrors.versionUnsupported);
    } catch (error) {
      if (!raw.complete) await drain(request, reply);
      throw nameStorageError(error);
    }
  };
}

/** Ends running uploads when the server stops. Received bytes are stored; clients resume later. */
function endWithServer(app: FastifyInstance, bytes: UploadBytes): void {
  const underWay = new Set<FastifyRequest>();
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.routeOptions.config.bodyTakesLong) {
      underWay.add(request);
      request.raw.once('close', () => underWay.delete(request));
    }
    done();
  });
  app.addHook('preClose', async () => {
    for (const { raw } of underWay) if (!raw.complete) raw.destroy();
    await bytes.settled();
  });
}

function wholeNumber(header: string | string[] | undefined): number {
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header)) throw fail(uploadErrors.lengthInvalid);
  return Number(header);
}

/** Clients that are still sending read no response: give them time to finish. */
async function drain({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  raw.resume();
  await Promise.race([new Promise((resolve) => raw.once('end', resolve)), delay(drainMs)]);
  if (!raw.complete) reply.header('connection', 'close');
}

function nameStorageError(error: unknown): unknown {
  if (!(error instanceof StorageError)) return error;
  return fail(error.reason === 'full' ? uploadErrors.storageFull : uploadErrors.storageUnavailable, {
    retryAfterSeconds: 60,
    cause: error,
  });
}
