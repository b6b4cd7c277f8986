/** Serves files by link. Content never runs in the origin of the site: it is downloaded, or displayed without scripts. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { attachmentErrors } from '@vestibule/contract/attachments/errors';
import { filesPath } from '@vestibule/contract/attachments';
import { personErrors } from '@vestibule/contract/people';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { rowOf, type DatabaseDeps } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { zipFile } from '../../../platform/export/zip.ts';
import { isSignedOut } from '../../../platform/identity/access-token.ts';
import {
  findAttachments,
  recordVerification,
  type AttachmentRow,
  type VisibleRow,
} from '../files/attachment-store.ts';
import { archiveNames, contentDisposition } from '../files/file-name.ts';
import type { FindRecordFile } from '../files/record-files.ts';
import { assertFileReady, type FileTickets, type Ticket } from './file-ticket.ts';
import { StorageError, type ByteRange, type FileStorage } from '../../../platform/storage/storage.ts';
import { dayMs } from '../../../platform/time-units.ts';

/** Prevents scripts, forms and the loading of resources, and separates the content from the origin of the site. */
const contentPolicy = "sandbox; default-src 'none'";

/** Types that are compressed already and are stored in ZIPs uncompressed. */
const compressedTypes =
  /^(?:image\/(?!bmp|svg)|audio\/|video\/|application\/(?:pdf|zip|gzip|x-7z|vnd\.openxml))/;

/** Time for which a verified file is not verified again. */
const verificationLifetimeMs = dayMs;

/** Person of a link. */
type Holder = { id: string; isAdmin: boolean; signInMethod: string };

/** A viewer without administrator rights: administrators also see files that they may not open. */
const asMember = (id: string) => ({ id, isAdmin: false });

export function serveFiles(
  app: FastifyInstance,
  deps: DatabaseDeps & {
    storage: FileStorage;
    tickets: FileTickets;
    logger: Logger;
    findRecordFile: FindRecordFile;
  },
): void {
  const { database, now } = deps;
  const { open, verify, isRecentlyVerified } = createFileContents(deps);

  /** Returns the file if the holder of the ticket may open it now. */
  async function requireFile(ticket: Ticket): Promise<VisibleRow> {
    const { personId, targetId } = ticket;
    const holder = await requireHolder(ticket);
    const [ofPerson] = await findAttachments(database, [targetId], asMember(personId));
    const file = ofPerson ?? (await deps.findRecordFile(targetId, holder));
    if (!file) throw fail(attachmentErrors.notFound);
    assertFileReady(file);
    return file;
  }

  async function requireHolder(ticket: Ticket): Promise<Holder> {
    const holder = await rowOf<Holder & { status: string; validAfter: Date | null; hasSession: boolean }>(
      database,
      { name: 'find-holder-of-ticket' },
    )`
      select people.id, role = 'admin' as "isAdmin", coalesce(way, '') as "signInMethod", status,
        tokens_valid_after as "validAfter", sessions.id is not null as "hasSession"
      from people left join sessions on sessions.id = ${ticket.sessionId} where people.id = ${ticket.personId}`;
    // Same rules as for API callers: links of removed people and of ended sign-ins are invalid.
    if (!holder || isSignedOut(ticket, holder)) throw fail(attachmentErrors.linkInvalid);
    if (holder.status !== 'active') throw fail(personErrors.disabled);
    return holder;
  }

  async function sendFile(request: FastifyRequest, reply: FastifyReply, ticket: Ticket) {
    const file = await requireFile(ticket);
    const etag = `"${file.sha256.toString('hex')}"`;
    const isShown = ticket.purpose === 'preview' && /^(?:picture|text|audio|video)$/.test(file.kind);
    reply.headers({
      'accept-ranges': 'bytes',
      etag,
      'content-type': file.kind === 'text' ? 'text/plain; charset=utf-8' : servedType(file),
      'content-disposition': contentDisposition(isShown ? 'inline' : 'attachment', file.name),
    });
    const ifRange = request.headers['if-range'];
    const rangeHeader = ifRange === undefined || ifRange === etag ? request.headers.range : undefined;
    const range = parseByteRange(request.method === 'GET' ? rangeHeader : undefined, file.size);
    if (range === 'unsatisfiable') {
      reply.header('content-range', `bytes */${file.size}`).removeHeader('content-disposition');
      throw fail(attachmentErrors.rangeInvalid);
    }
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    const { start, end } = range === 'whole' ? { start: 0, end: file.size - 1 } : range;
    const isWhole = start === 0 && end === file.size - 1;
    const bytes = await open(file, isWhole ? undefined : { start, end });
    reply.header('content-length', end - start + 1);
    if (range !== 'whole') reply.code(206).header('content-range', `bytes ${start}-${end}/${file.size}`);
    if (request.method === 'HEAD') {
      bytes.destroy();
      return reply.send();
    }
    return reply.send(isWhole && !isRecentlyVerified(file) ? Readable.from(verify(file, bytes)) : bytes);
  }

  async function sendZip(request: FastifyRequest, reply: FastifyReply, ticket: Ticket) {
    const { personId, targetId } = ticket;
    await requireHolder(ticket);
    const bundle = await rowOf<{ attachment_ids: string[] }>(database, { name: 'find-bundle' })`
      select attachment_ids from attachment_bundles where id = ${targetId} and expires_at > ${new Date(now())}`;
    if (!bundle) throw fail(attachmentErrors.linkInvalid);
    const found = await findAttachments(database, bundle.attachment_ids, asMember(personId));
    const files = found.filter(({ status }) => status === 'ready');
    if (files.length === 0) throw fail(attachmentErrors.notFound);
    const names = archiveNames(files.map(({ name }) => name));
    const entries = files.map((file, index) => ({
      name: names[index] as string,
      content: contentsOf(file),
      ...(compressedTypes.test(file.type) && { stored: true }),
    }));
    const day = new Date(now()).toISOString().slice(0, 10);
    reply
      .type('application/zip')
      .header('content-disposition', contentDisposition('attachment', `attachments-${day}.zip`))
      .header('x-accel-buffering', 'no');
    return request.method === 'HEAD'
      ? reply.send()
      : reply.send(Readable.from(zipFile(entries), { highWaterMark: 1 }));
  }

  /** Opens the file when the archive reaches it. */
  async function* contentsOf(file: AttachmentRow): AsyncGenerator<Uint8Array> {
    const bytes = await open(file);
    yield* isRecentlyVerified(file) ? bytes : verify(file, bytes);
  }

  app.route({
    method: ['GET', 'HEAD'],
    url: `${filesPath}/:ticket`,
    handler: async (request, reply) => {
      const ticket = deps.tickets.read((request.params as { ticket: string }).ticket);
      reply.headers({ 'cache-control': 'no-store', 'content-security-policy': contentPolicy });
      if (!ticket) throw fail(attachmentErrors.linkInvalid);
      return ticket.purpose === 'zip' ? sendZip(request, reply, ticket) : sendFile(request, reply, ticket);
    },
  });
}

/** Returns a generic type for files without a preview, whatever their declared type. */
const servedType = ({ kind, type }: AttachmentRow): string =>
  kind === 'other' ? 'application/octet-stream' : type;

/** Returns `whole` for invalid and multi-part ranges (RFC 9110, section 14.2) and `unsatisfiable` for ranges outside the file. */
function parseByteRange(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return 'whole';
  return start >= size ? 'unsatisfiable' : { start, end };
}

/** Opens and verifies the stored contents of files. */
function createFileContents(deps: DatabaseDeps & { storage: FileStorage; logger: Logger }) {
  const { database, storage, now } = deps;

  /** Opens the contents. Throws and reports the file if they are missing or have a wrong size. */
  async function open(file: AttachmentRow, range?: ByteRange): Promise<Readable> {
    try {
      const size = await storage.sizeOf(file.id);
      const bytes = size === file.size ? await storage.read(file.id, range) : null;
      if (bytes) {
        // A storage that sends no data is answered by an error instead of an interrupted download.
        await once(bytes, 'readable');
        return bytes;
      }
      await report(
        file,
        size === null ? 'is gone from the storage' : `has ${size} bytes instead of ${file.size}`,
      );
      throw fail(attachmentErrors.missing);
    } catch (error) {
      if (error instanceof StorageError)
        throw fail(attachmentErrors.storageUnavailable, { retryAfterSeconds: 60, cause: error });
      throw error;
    }
  }

  /** Logs an alert: the file has to be restored from a backup. */
  async function report(file: AttachmentRow, problem: string): Promise<void> {
    deps.logger.error({ attachment: file.id, alert: 'attachment_damaged' }, `the file ${file.id} ${problem}`);
    await recordVerification(database, file.id, { intact: false, at: new Date(now()) });
  }

  /** Only logs a failed update, because the file is intact and will be verified again. */
  async function recordIntact(file: AttachmentRow): Promise<void> {
    try {
      await recordVerification(database, file.id, { intact: true, at: new Date(now()) });
    } catch (error) {
      deps.logger.warn(
        { err: error, attachment: file.id },
        `the verification of the file ${file.id} could not be recorded`,
      );
    }
  }

  /** Verifies the hash while streaming. Withholds the last chunk of a damaged file, so that the download fails. */
  async function* verify(file: AttachmentRow, bytes: Readable): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    let previousChunk: Uint8Array | undefined;
    for await (const chunk of bytes) {
      hash.update(chunk as Uint8Array);
      if (previousChunk) yield previousChunk;
      previousChunk = chunk as Uint8Array;
    }
    const intact = hash.digest().equals(file.sha256);
    if (intact) await recordIntact(file);
    else await report(file, 'is damaged: its SHA-256 differs');
    if (!intact) throw new Error(`the contents of ${file.id} are damaged`);
    if (previousChunk) yield previousChunk;
  }

  const isRecentlyVerified = (file: AttachmentRow) =>
    file.verified_at.getTime() + verificationLifetimeMs > now();

  return { open, verify, isRecentlyVerified };
}
