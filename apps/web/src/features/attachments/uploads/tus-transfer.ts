/** Transfers a file by the tus protocol. The upload queue decides about retries. */
import { t } from '@lingui/core/macro';
import { uploadErrors } from '@vestibule/contract/attachments/errors';
import { rejectedChunkHeader, uploadsPath } from '@vestibule/contract/attachments';
import type { DetailedError, HttpResponse, Upload } from 'tus-js-client';
import { describeFailure, type CallFailure } from '../../../language/call-failure.ts';
import { reportFailedResponse, createUnreachableFailure, authHeaders } from '../../../lib/call.ts';
import type { EndTransfer, StartTransfer, TransferFailure } from './transfer.ts';

const MB = 1_000_000;
/** Bytes per request. Each request has a fresh access token, and a lost connection repeats at most one chunk. */
const largestChunk = 32 * MB;
/** Proxies may accept less (nginx by default 1 MiB). Chunks then shrink to this size for the rest of the session. */
const smallestChunk = largestChunk / 64;
let chunkSize = largestChunk;
/** Smaller files are sent with the request that creates the upload. */
const smallFile = 1 * MB;
/** Browsers can hash only files that fit into memory; the server hashes larger ones. */
const largestHashed = 32 * MB;

export const startTransfer: StartTransfer = ({ file, url }, callbacks) => {
  let current: Upload | null = null;
  let stopped = false;
  let uploadUrl = url;
  /** Size of the chunk that a proxy rejected. It is reported to the server, which does not receive that chunk. */
  let rejectedSize: number | null = null;

  async function attempt(renew: boolean): Promise<void> {
    const { Upload: TusUpload } = await import('tus-js-client');
    const metadata = uploadUrl === null ? await describe(file) : {};
    if (stopped) return;
    let renewToken = renew;
    // Parallel transfers may reduce `chunkSize` meanwhile.
    const ownChunkSize = chunkSize;
    current = new TusUpload(file, {
      // If both options were set, an error such as 401 for the offset request would start a second upload.
      ...(uploadUrl === null ? { endpoint: uploadsPath } : { uploadUrl: uploadUrl }),
      metadata,
      chunkSize: ownChunkSize,
      uploadDataDuringCreation: file.size <= Math.min(smallFile, ownChunkSize),
      retryDelays: null,
      storeFingerprintForResuming: false,
      async onBeforeRequest(request) {
        const headers = await authHeaders({ renew: renewToken });
        renewToken = false;
        if (stopped) throw new Error('The upload was stopped.');
        for (const [name, value] of Object.entries(headers)) request.setHeader(name, value);
        if (rejectedSize !== null) request.setHeader(rejectedChunkHeader, `${rejectedSize}`);
      },
      onUploadUrlAvailable() {
        uploadUrl = current?.url ?? uploadUrl;
        if (uploadUrl !== null) callbacks.url(uploadUrl);
      },
      onProgress: (sent) => callbacks.progress(sent),
      onSuccess: () => callbacks.done(),
      onError(error) {
        const response = responseOf(error);
        // With a wrong client clock, an expired token seems valid.
        if (response?.getStatus() === 401 && !renew) void start(true);
        else if (response && isTooLargeForProxy(response) && ownChunkSize > smallestChunk) {
          rejectedSize = Math.min(ownChunkSize, file.size);
          chunkSize = Math.min(chunkSize, ownChunkSize / 8);
          void start(false);
        } else void report(error);
      },
    });
    current.start();
  }
  async function start(renew: boolean): Promise<void> {
    try {
      await attempt(renew);
    } catch (error) {
      await report(error);
    }
  }
  async function report(error: unknown): Promise<void> {
    callbacks.failed(await failureBehind(error));
  }

  void start(false);
  return {
    stop() {
      stopped = true;
      void current?.abort();
    },
  };
};

export const endTransfer: EndTransfer = async (url) => {
  const requestDeletion = async (renew: boolean) => {
    const headers = { ...(await authHeaders({ renew })), 'tus-resumable': '1.0.0' };
    return fetch(url, { method: 'DELETE', headers }).catch((error: unknown) => {
      throw createUnreachableFailure(error);
    });
  };
  let response = await requestDeletion(false);
  if (response.status === 401) response = await requestDeletion(true);
  if (!response.ok && !isGone(response)) throw await reportFailedResponse(response);
};

const isGone = ({ status }: { status: number }) => status === 404 || status === 410;

async function describe(file: File): Promise<Record<string, string>> {
  const metadata = { name: file.name, ...(file.type && { type: file.type }) };
  if (file.size > largestHashed) return metadata;
  const digest = await crypto.subtle.digest('SHA-256', await contentsOf(file));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { ...metadata, sha256: hex };
}

/** The file was moved, changed, or is a folder. */
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

/** The server itself responds with JSON, a proxy does not. */
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

/** Returns the response that caused the error, if any. */
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

/** `storageFull` persists until space is freed; temporary errors are retried. */
function kindOf({ status, retryAt }: CallFailure): TransferFailure['kind'] {
  if (isGone({ status })) return 'gone';
  if (status === uploadErrors.storageFull.status) return 'refused';
  if (status === uploadErrors.tooOften.status && retryAt) return 'lost';
  const temporary = [0, uploadErrors.offsetMismatch.status, uploadErrors.busy.status];
  return temporary.includes(status) || status >= 500 ? 'lost' : 'refused';
}
