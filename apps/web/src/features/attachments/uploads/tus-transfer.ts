/** Carries a file to the server by the tus protocol, once, from where it stopped. The queue decides about another try. */
import { t } from '@lingui/core/macro';
import { uploadErrors } from '@vestibule/contract/attachments/errors';
import { rejectedChunkHeader, uploadsPath } from '@vestibule/contract/attachments';
import type { DetailedError, HttpResponse, Upload } from 'tus-js-client';
import { describeFailure, type CallFailure } from '../../../language/call-failure.ts';
import { reportFailedResponse, createUnreachableFailure, authHeaders } from '../../../lib/call.ts';
import type { EndTransfer, StartTransfer, TransferFailure } from './transfer.ts';

const MB = 1_000_000;
/** One request carries so much: each asks for a token that is fresh, and a lost connection costs little. */
const largestChunk = 32 * MB;
/** A proxy between may take less, such as nginx as it comes: 1 MiB. Then the pieces of this tab get smaller, down to this. */
const smallestChunk = largestChunk / 64;
let chunkSize = largestChunk;
/** Smaller files travel with the request that announces them. */
const smallFile = 1 * MB;
/** The browser can compute the SHA-256 only of what is in memory as a whole; of larger files the server alone does. */
const largestHashed = 32 * MB;

export const startTransfer: StartTransfer = ({ file, url }, notify) => {
  let current: Upload | null = null;
  let stopped = false;
  let known = url;
  /** The length of the last piece that a proxy refused: the server cannot know otherwise. */
  let refusedPiece: number | null = null;

  async function attempt(renew: boolean): Promise<void> {
    // Fetched with the first upload: most visits upload nothing.
    const { Upload: TusUpload } = await import('tus-js-client');
    const metadata = known === null ? await describe(file) : {};
    if (stopped) return;
    let fresh = renew;
    // Others of this tab may make theirs smaller meanwhile.
    const pieceSize = chunkSize;
    current = new TusUpload(file, {
      // With both, an answer such as 401 to "how far are you?" would begin a second upload.
      ...(known === null ? { endpoint: uploadsPath } : { uploadUrl: known }),
      metadata,
      chunkSize: pieceSize,
      uploadDataDuringCreation: file.size <= Math.min(smallFile, pieceSize),
      retryDelays: null,
      storeFingerprintForResuming: false,
      async onBeforeRequest(request) {
        const headers = await authHeaders({ renew: fresh });
        fresh = false;
        if (stopped) throw new Error('The upload was stopped.');
        for (const [name, value] of Object.entries(headers)) request.setHeader(name, value);
        if (refusedPiece !== null) request.setHeader(rejectedChunkHeader, `${refusedPiece}`);
      },
      onUploadUrlAvailable() {
        known = current?.url ?? known;
        if (known !== null) notify.url(known);
      },
      onProgress: (sent) => notify.progress(sent),
      onSuccess: () => notify.done(),
      onError(error) {
        const response = responseOf(error);
        // A clock that is wrong here makes an old token look fresh.
        if (response?.getStatus() === 401 && !renew) void begin(true);
        else if (response && isTooLargeForProxy(response) && pieceSize > smallestChunk) {
          refusedPiece = Math.min(pieceSize, file.size);
          chunkSize = Math.min(chunkSize, pieceSize / 8);
          void begin(false);
        } else void report(error);
      },
    });
    current.start();
  }
  async function begin(renew: boolean): Promise<void> {
    try {
      await attempt(renew);
    } catch (error) {
      await report(error);
    }
  }
  async function report(error: unknown): Promise<void> {
    notify.failed(await failureBehind(error));
  }

  void begin(false);
  return {
    stop() {
      stopped = true;
      void current?.abort();
    },
  };
};

export const endTransfer: EndTransfer = async (url) => {
  const ask = async (renew: boolean) => {
    const headers = { ...(await authHeaders({ renew })), 'tus-resumable': '1.0.0' };
    return fetch(url, { method: 'DELETE', headers }).catch((error: unknown) => {
      throw createUnreachableFailure(error);
    });
  };
  let response = await ask(false);
  if (response.status === 401) response = await ask(true);
  if (!response.ok && !isGone(response)) throw await reportFailedResponse(response);
};

const isGone = ({ status }: { status: number }) => status === 404 || status === 410;

async function describe(file: File): Promise<Record<string, string>> {
  const described = { name: file.name, ...(file.type && { type: file.type }) };
  if (file.size > largestHashed) return described;
  const digest = await crypto.subtle.digest('SHA-256', await contentsOf(file));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { ...described, sha256: hex };
}

/** Says in words that a file cannot be read: it was moved or changed, or it is a folder. */
class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

async function contentsOf(file: File): Promise<ArrayBuffer> {
  try {
    return await file.arrayBuffer();
  } catch (cause) {
    throw new UnreadableFile('not readable', { cause });
  }
}

/** The server says in JSON what is too large for it. */
function isTooLargeForProxy(response: HttpResponse): boolean {
  return response.getStatus() === uploadErrors.fileTooLarge.status && !response.getBody().startsWith('{');
}

async function failureBehind(error: unknown): Promise<TransferFailure> {
  if (error instanceof UnreadableFile)
    return {
      kind: 'refused',
      message: t`This file can no longer be read: it was moved or changed. Choose it again.`,
    };
  const response = responseOf(error);
  if (response && isTooLargeForProxy(response))
    return {
      kind: 'refused',
      message: t`A proxy in front of this site blocks uploads, even in small pieces. Ask support to raise its limit for request bodies.`,
    };
  const failure = response
    ? await reportFailedResponse(
        new Response(response.getBody() || null, {
          status: response.getStatus(),
          headers: headersOf(response, ['retry-after', 'x-request-id']),
        }),
      )
    : createUnreachableFailure(error);
  return {
    kind: kindOf(failure),
    ...describeFailure(failure),
    retryAt: failure.retryAt?.getTime(),
  };
}

/** What the server answered, if it did. */
function responseOf(error: unknown): HttpResponse | null {
  return (error as Partial<DetailedError> | null)?.originalResponse ?? null;
}

function headersOf(
  response: Pick<HttpResponse, 'getHeader'>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = response.getHeader(name);
      return value ? [[name, value]] : [];
    }),
  );
}

/** `siteFull` and their like stay until somebody makes room; what passes by itself is waited for. */
function kindOf({ status, retryAt }: CallFailure): TransferFailure['kind'] {
  if (isGone({ status })) return 'gone';
  if (status === uploadErrors.storageFull.status) return 'refused';
  if (status === uploadErrors.tooOften.status && retryAt) return 'lost';
  const passes = [0, uploadErrors.offsetMismatch.status, uploadErrors.busy.status];
  return passes.includes(status) || status >= 500 ? 'lost' : 'refused';
}
