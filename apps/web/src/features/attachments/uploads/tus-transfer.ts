/** Transfers a file by the tus protocol. The upload queue decides about retries. */
import { t } from '@lingui/core/macro';
import { uploadErrors } from '@vestibule/contract/attachments/errors';
import { uploadsPath } from '@vestibule/contract/attachments';
import type { DetailedError, HttpResponse, UploadOptions } from 'tus-js-client';
import { CallFailure, describeFailure } from '../../../language/call-failure.ts';
import {
  authHeaders,
  createUnreachableFailure,
  openStream,
  reportFailedResponse,
} from '../../../lib/call.ts';
import type { Transfer, TransferFailure } from './upload-queue.ts';

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

const timeoutMs = 20_000;

export const transfer: Transfer = async (file, storedId, { signal, onUploadId, onProgress }) => {
  let uploadId = storedId;
  let renewToken = false;
  let isRestarted = false;
  for (;;) {
    let isFirstRequest = true;
    // Parallel transfers may reduce `chunkSize` meanwhile.
    const ownChunkSize = chunkSize;
    try {
      await sendFile(file, signal, {
        // If both options were set, an error such as 401 for the offset request would start a second upload.
        ...(uploadId === null
          ? { endpoint: uploadsPath, metadata: await describe(file) }
          : { uploadUrl: `${uploadsPath}/${uploadId}` }),
        chunkSize: ownChunkSize,
        uploadDataDuringCreation: file.size <= Math.min(smallFile, ownChunkSize),
        async onBeforeRequest(request) {
          const headers = await authHeaders({ renew: renewToken && isFirstRequest });
          isFirstRequest = false;
          if (signal.aborted) throw new Error('The upload was stopped.');
          for (const [name, value] of Object.entries(headers)) request.setHeader(name, value);
        },
        onUploadUrlAvailable(url) {
          uploadId = url.split('/').at(-1) ?? null;
          if (uploadId !== null) onUploadId(uploadId);
        },
        onProgress,
      });
      return null;
    } catch (error) {
      const response = responseOf(error);
      const status = response?.getStatus() ?? 0;
      if (status === 401 && !renewToken) {
        // With a wrong client clock, an expired token seems valid.
        renewToken = true;
      } else if (isGone({ status }) && uploadId !== null && !isRestarted) {
        // The upload has expired.
        isRestarted = true;
        uploadId = null;
      } else if (response && isTooLargeForProxy(response) && ownChunkSize > smallestChunk) {
        chunkSize = Math.min(chunkSize, ownChunkSize / 8);
      } else return toTransferFailure(error, file);
    }
  }
};

const loadTus = () => import('tus-js-client');

/** Loads the library before the first upload: if loading it fails, all uploads fail until the page is reloaded. */
export const preloadUploads = (): void => void loadTus().catch(() => {});

/** Sends a file in one attempt. The promise stays pending if `signal` is aborted. */
async function sendFile(
  file: File,
  signal: AbortSignal,
  options: Omit<Partial<UploadOptions>, 'onUploadUrlAvailable'> & {
    onUploadUrlAvailable: (url: string) => void;
  },
): Promise<void> {
  const { Upload } = await loadTus();
  await new Promise<void>((resolve, reject) => {
    const upload = new Upload(file, {
      ...options,
      retryDelays: null,
      storeFingerprintForResuming: false,
      onUploadUrlAvailable() {
        if (upload.url !== null) options.onUploadUrlAvailable(upload.url);
      },
      onSuccess: () => resolve(),
      onError: reject,
    });
    signal.addEventListener('abort', () => void upload.abort());
    if (!signal.aborted) upload.start();
  });
}

/** Deletes an upload on the server. Throws like `call`, unless the upload no longer exists. */
export async function discardUpload(uploadId: string): Promise<void> {
  try {
    await openStream(
      { method: 'DELETE', path: `${uploadsPath}/${uploadId}`, access: 'member' },
      { headers: { 'tus-resumable': '1.0.0' }, accept: '*/*', signal: AbortSignal.timeout(timeoutMs) },
    );
  } catch (error) {
    if (!(error instanceof CallFailure && isGone(error))) throw error;
  }
}

const isGone = ({ status }: { status: number }) => status === 404 || status === 410;

async function describe(file: File): Promise<Record<string, string>> {
  const metadata = { name: file.name, ...(file.type && { type: file.type }) };
  if (file.size > largestHashed) return metadata;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  return { ...metadata, sha256: Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('') };
}

/** Returns false for a file that was moved or changed since the user chose it. */
const isReadable = (file: File): Promise<boolean> =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );

/** The server itself responds with JSON, a proxy does not. */
const isTooLargeForProxy = (response: HttpResponse): boolean =>
  response.getStatus() === uploadErrors.fileTooLarge.status && !response.getBody().startsWith('{');

async function toTransferFailure(error: unknown, file: File): Promise<TransferFailure> {
  const response = responseOf(error);
  // The browser reports a file that changed during its upload like a lost connection.
  if (!response && (error instanceof DOMException || !(await isReadable(file))))
    return {
      kind: 'refused',
      message: t`This file can no longer be read: it was moved or changed. Choose it again.`,
    };
  if (response && isTooLargeForProxy(response))
    return {
      kind: 'refused',
      message: t`A proxy in front of this site blocks uploads, even in small pieces. Ask support to raise its limit for request bodies.`,
    };
  const failure = response
    ? await reportFailedResponse(toFetchResponse(response))
    : createUnreachableFailure(error);
  return {
    kind: isTemporary(failure) ? 'lost' : 'refused',
    ...describeFailure(failure),
    retryAt: failure.retryAt?.getTime(),
  };
}

/** Returns the response that caused the error, if any. */
const responseOf = (error: unknown): HttpResponse | null =>
  (error as Partial<DetailedError> | null)?.originalResponse ?? null;

function toFetchResponse(response: HttpResponse): Response {
  const headers = new Headers();
  for (const name of ['retry-after', 'x-request-id']) {
    const value = response.getHeader(name);
    if (value) headers.set(name, value);
  }
  return new Response(response.getBody() || null, { status: response.getStatus(), headers });
}

/** `storageFull` persists until space is freed; other errors of the server and the connection are temporary. */
function isTemporary({ status, retryAt }: CallFailure): boolean {
  if (status === uploadErrors.storageFull.status) return false;
  if (status === uploadErrors.tooOften.status) return retryAt !== undefined;
  return [0, uploadErrors.offsetMismatch.status, uploadErrors.busy.status].includes(status) || status >= 500;
}
