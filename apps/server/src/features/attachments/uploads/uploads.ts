/**
 * Takes uploads in by the tus protocol 1.0 with Creation, Creation With Upload and Termination
 * (https://tus.io/protocols/resumable-upload), so that they go on after a connection or a server was lost.
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
/** A connection on which nothing arrives for so long is given up. */
const silenceMs = 60_000;
/** What of an unwanted body is still taken, so that the answer is read before the connection ends. */
const drainMs = 300;
/** How long an upload goes on to write what it has when another connection wants to go on with it. */
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

  /** Writes the body, which begins at `offset`; what is all there becomes an attachment. Gives where the upload ends. */
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
    // The answer that all was there may have been lost, with the server or the connection, before it became a file.
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

  /** The upload in the address, which the caller has begun. */
  async function requireOwn({ params, caller }: FastifyRequest): Promise<string> {
    const { uploadId: id } = params as { uploadId: string };
    const isOwn = uuid.test(id) && (await isUploadOf(deps.database, id, (caller as Caller).id));
    if (!isOwn) throw fail(uploadErrors.notFound);
    return id;
  }

  void app.register((scope, _options, done) => {
    // The body is left alone, however long it is.
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

/** What every request of the protocol has in common: its version, and an answer that arrives. */
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

/** What has arrived is kept when the server stops; the browser goes on with the next one. */
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

/** A browser that is still sending reads no answer: it gets a moment to stop. */
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
