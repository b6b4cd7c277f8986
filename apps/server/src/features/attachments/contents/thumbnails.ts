/** Thumbnails, created by the uploading browser (docs/decisions/031-thumbnails.md). Adding and viewing them is not logged. */
import { attachmentErrors, thumbnailMaximum } from '@vestibule/contract/attachments/errors';
import { setThumbnail } from '@vestibule/contract/attachments';
import { Id } from '@vestibule/contract/values';
import type { FastifyInstance } from 'fastify';
import {
  execute,
  rawSql,
  rowOf,
  type Database,
  type DatabaseDeps,
} from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { implement, type Caller, type Implementation } from '../../../platform/http/implement.ts';
import { bytesUnlessCopied, copiesOf, readUploadedPicture, sendPicture } from '../../../platform/picture.ts';
import { requireFile } from '../files/attachment-changes.ts';
import { toAttachment } from '../files/attachment-store.ts';
import type { FileLimits } from '../files/file-limits.ts';
import { assertFileReady } from './file-ticket.ts';

export function thumbnailRoutes(deps: DatabaseDeps & { fileLimits: FileLimits }): Implementation[] {
  const { database, fileLimits, now } = deps;
  return [
    implement(setThumbnail, async ({ params, body, caller }) => {
      const picture = readThumbnail(body.picture);
      await fileLimits.changes(caller);
      const file = await requireFile(database, params.attachmentId, caller);
      if (file.owner_id !== caller.id) throw fail(attachmentErrors.ownerOnly);
      if (!picture || file.kind !== 'picture') throw fail(attachmentErrors.thumbnailUnusable);
      // A stored thumbnail is never replaced. Its author is therefore the uploader of the file, whom the activity log names.
      await execute(database, { name: 'keep-thumbnail' })`
        insert into attachment_thumbnails (attachment_id, type, sha256, bytes)
        select id, ${picture.type}, decode(${picture.hash}, 'hex'), ${picture.bytes} from attachments
        where id = ${file.id} and owner_id = ${caller.id} and kind = 'picture' and deleted_at is null
        on conflict do nothing`;
      return toAttachment(database, file, caller, new Date(now()));
    }),
  ];
}

/** Chunks of animated WebP and PNG files; lists show still pictures only. */
const animationChunk = /ANIM|acTL/;

/** Returns null if the content is not a small still picture. */
function readThumbnail(base64: string) {
  const picture = readUploadedPicture(base64, thumbnailMaximum.bytes);
  const isSmall = picture && Math.max(picture.width, picture.height) <= thumbnailMaximum.pixels;
  return isSmall && !animationChunk.test(picture.bytes.toString('latin1')) ? picture : null;
}

export function serveThumbnails(app: FastifyInstance, database: Database): void {
  app.get<{ Params: { attachmentId: string } }>(
    setThumbnail.path,
    { config: { access: 'member' } },
    async (request, reply) => {
      const id = Id.safeParse(request.params.attachmentId);
      if (!id.success) throw fail(attachmentErrors.notFound);
      const file = await requireFile(database, id.data, request.caller as Caller);
      if (!file.isReadable) throw fail(attachmentErrors.notFound);
      assertFileReady(file);
      const thumbnail = await rowOf<{ type: string; hash: string; bytes: Buffer | null }>(database, {
        name: 'read-thumbnail',
      })`
        select type, encode(sha256, 'hex') as hash,
          ${rawSql((copies) => bytesUnlessCopied("encode(sha256, 'hex')", copies), copiesOf(request))}
        from attachment_thumbnails where attachment_id = ${file.id}`;
      if (!thumbnail) throw fail(attachmentErrors.notFound);
      // Revalidated each time: the permission may have changed.
      return sendPicture(reply, thumbnail, { 'cache-control': 'private, no-cache' });
    },
  );
}
