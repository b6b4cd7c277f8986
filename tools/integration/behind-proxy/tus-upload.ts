/**
 * Uploads a file of any size with tus like the browser: in requests of 32 MB, resumed at the offset of the server after an interruption.
 */
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { uploadsPath } from '@vestibule/contract/attachments';
import type { Answer, SendRequest } from './site.ts';

const pieceBytes = 32_000_000;
const block = randomBytes(2 ** 20);

function* bytesBetween(from: number, to: number): Generator<Buffer> {
  for (let at = from; at < to;) {
    const start = at % block.length;
    const bytes = block.subarray(start, Math.min(block.length, start + to - at));
    at += bytes.length;
    yield bytes;
  }
}

export function sha256OfUpload(size: number): string {
  const hash = createHash('sha256');
  for (const bytes of bytesBetween(0, size)) hash.update(bytes);
  return hash.digest('hex');
}

export type Progress = {
  id: string;
  pieces: number;
  /** Interrupted requests, which the browser resumes automatically. */
  interrupted: number;
};

const tus = { 'tus-resumable': '1.0.0' };

/** Returns the id of the attachment. Uses `callers` in rotation; `pace` runs before each chunk. */
export async function upload(
  callers: SendRequest[],
  { size, name, pace = async () => {} }: { size: number; name: string; pace?: () => Promise<unknown> },
  progress: Progress,
): Promise<string> {
  let turn = 0;
  const send: SendRequest = (...call) => (callers[(turn += 1) % callers.length] as SendRequest)(...call);
  const created = await send('POST', uploadsPath, {
    headers: {
      ...tus,
      'content-length': '0',
      'upload-length': String(size),
      'upload-metadata': `name ${Buffer.from(name).toString('base64')}`,
    },
  });
  const { location } = created.headers;
  if (location === undefined) throw new Error(`${created.status} ${created.text}`);
  progress.id = location.split('/').at(-1) as string;

  async function* piece(from: number, to: number) {
    for (const bytes of bytesBetween(from, to)) {
      await pace();
      yield bytes;
    }
  }
  let offset = 0;
  while (offset < size) {
    const end = Math.min(size, offset + pieceBytes);
    const answer: Answer | null = await send('PATCH', location, {
      headers: {
        ...tus,
        'content-type': 'application/offset+octet-stream',
        'content-length': String(end - offset),
        'upload-offset': String(offset),
      },
      body: Readable.from(piece(offset, end)),
    }).catch(() => null);
    progress.pieces += 1;
    if (answer?.status === 204) offset = end;
    else if (answer && answer.status < 500 && answer.status !== 409) throw new Error(answer.text);
    else {
      progress.interrupted += 1;
      const response = await send('HEAD', location, { headers: tus }).catch(() => null);
      offset = Number(response?.headers['upload-offset'] ?? offset);
    }
  }
  return progress.id;
}
