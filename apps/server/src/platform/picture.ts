/** Small pictures: detects their format and size, reads uploads as base64, and serves stored ones to all visitors. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** In pixels. */
type Picture = { type: 'image/png' | 'image/jpeg' | 'image/webp'; width: number; height: number };

/** Larger pictures would only cost memory in every browser that scales them down. */
export const pictureMaximumPixels = 4096;

/** Returns null if `bytes` is not a supported picture, is truncated, or is too large. */
function readPicture(bytes: Buffer): Picture | null {
  try {
    const picture = readPng(bytes) ?? readJpeg(bytes) ?? readWebp(bytes);
    if (!picture) return null;
    const { width, height } = picture;
    return Math.min(width, height) > 0 && Math.max(width, height) <= pictureMaximumPixels ? picture : null;
  } catch (error) {
    // Truncated: read past the end.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** PNG (ISO/IEC 15948, section 5): signature, IHDR first, IEND last. */
function readPng(bytes: Buffer): Picture | null {
  if (bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1A\n' || bytes.toString('latin1', 12, 16) !== 'IHDR')
    return null;
  if (bytes.toString('latin1', bytes.length - 8, bytes.length - 4) !== 'IEND') return null;
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** JPEG (ITU-T T.81, annex B): segments up to the frame header, which holds the size. */
function readJpeg(bytes: Buffer): Picture | null {
  if (bytes.readUInt16BE(0) !== 0xff_d8 || bytes.readUInt16BE(bytes.length - 2) !== 0xff_d9) return null;
  let at = 2;
  while (bytes.readUInt8(at) === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    // SOF0 to SOF15 except the tables DHT, JPG and DAC.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame)
      return { type: 'image/jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** WebP (RFC 9649, section 2): a RIFF file whose first chunk is VP8, VP8L or VP8X. */
function readWebp(bytes: Buffer): Picture | null {
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  if (!isWebp || bytes.readUInt32LE(4) + 8 > bytes.length) return null;
  const type = 'image/webp';
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { type, width: bytes.readUInt16LE(26) & 0x3f_ff, height: bytes.readUInt16LE(28) & 0x3f_ff };
    case 'VP8L': {
      const sizes = bytes.readUInt32LE(21);
      return { type, width: (sizes & 0x3f_ff) + 1, height: ((sizes >>> 14) & 0x3f_ff) + 1 };
    }
    case 'VP8X':
      return { type, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}

/** Returns null if the content is not a supported picture, or is too large. */
export function readUploadedPicture(
  base64: string,
  maximumBytes: number,
): ((Picture & { hash: string }) & { bytes: Buffer }) | null {
  const bytes = Buffer.from(base64, 'base64');
  const picture = bytes.length <= maximumBytes ? readPicture(bytes) : null;
  return picture && { ...picture, hash: createHash('sha256').update(bytes).digest('hex'), bytes };
}

/** SQL of the bytes, which are read only if the client has no current copy. `copies` is a parameter with the result of `copiesOf`. */
export const bytesUnlessCopied = (hash: string, copies: string) =>
  `case when ${copies} like '%' || ${hash} || '%' then null else bytes end as bytes`;
export const copiesOf = ({ headers }: FastifyRequest) => headers['if-none-match'] ?? '';

/** Headers of pictures for all visitors, also of mail programs on other origins. */
const publicHeaders = {
  'cache-control': 'public, max-age=300',
  'cross-origin-resource-policy': 'cross-origin',
};

/** Sends a picture. `bytes` is null if the client has a current copy. */
export function sendPicture(
  reply: FastifyReply,
  { hash, type, bytes }: { hash: string; type: string; bytes: Buffer | null },
  headers: Record<string, string> = publicHeaders,
): FastifyReply {
  reply.headers({
    ...headers,
    etag: `"${hash}"`,
    'content-security-policy': "default-src 'none'; sandbox",
  });
  return bytes === null ? reply.code(304).send() : reply.type(type).send(bytes);
}
