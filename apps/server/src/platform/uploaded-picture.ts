/** Small pictures that are uploaded as base64, stored in the database and served to all visitors. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readPicture, type Picture } from './picture.ts';

type StoredPicture = Picture & { hash: string };

/** Returns null if the content is not a supported picture, or is too large. */
export function readUploadedPicture(
  base64: string,
  maximumBytes: number,
): (StoredPicture & { bytes: Buffer }) | null {
  const bytes = Buffer.from(base64, 'base64');
  const picture = bytes.length <= maximumBytes ? readPicture(bytes) : null;
  return picture && { ...picture, hash: createHash('sha256').update(bytes).digest('hex'), bytes };
}

/** SQL of the bytes, which are read only if the client has no current copy. `$1` is the result of `copiesOf`. */
export const bytesUnlessCopied = (hash: string) =>
  `case when $1 like '%' || ${hash} || '%' then null else bytes end as bytes`;
export const copiesOf = ({ headers }: FastifyRequest) => headers['if-none-match'] ?? '';

/** Sends a picture, also to mail programs on other origins. `bytes` is null if the client has a current copy. */
export function sendPicture(
  reply: FastifyReply,
  { hash, type, bytes }: { hash: string; type: string; bytes: Buffer | null },
): FastifyReply {
  reply.headers({
    etag: `"${hash}"`,
    'cache-control': 'public, max-age=300',
    'cross-origin-resource-policy': 'cross-origin',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  return bytes === null ? reply.code(304).send() : reply.type(type).send(bytes);
}
