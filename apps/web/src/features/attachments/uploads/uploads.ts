/** The upload queue of this tab, and its storage across reloads. */
import { uploadLifetimeHours, uploadsPath } from '@vestibule/contract/attachments';
import { useSyncExternalStore } from 'react';
import { storeJson, readJson } from '../../../lib/stored-json.ts';
import { endTransfer, startTransfer } from './tus-transfer.ts';
import type { UploadProgress } from './upload-progress.ts';
import { UploadQueue, type StoredUpload, type UploadStorage } from './upload-queue.ts';

/** A sign-out removes this entry. */
const storageKey = 'uploads';
const lifetimeMs = uploadLifetimeHours * 60 * 60 * 1000;

/** In milliseconds. An upload of another tab that was not updated for this time counts as interrupted. */
const interruptedAfterMs = 60_000;

/** `tab` is an id that survives a reload. */
type StoredEntry = StoredUpload & { at: number; tab: string };

function read(): StoredEntry[] {
  const stored = readJson<StoredEntry[]>('localStorage', storageKey);
  return Array.isArray(stored)
    ? stored.filter((upload: StoredEntry | null) => (upload?.at ?? 0) > Date.now() - lifetimeMs)
    : [];
}

/** If storage is unavailable, uploads cannot be resumed after a reload. */
const write = (all: readonly StoredEntry[]) => storeJson('localStorage', storageKey, all);

/** URLs of the uploads that this tab has started or resumed. */
const ownUrls = new Set<string>();

const storage: UploadStorage = {
  find(fingerprint) {
    const found = read().find((upload) => upload.fingerprint === fingerprint);
    if (found) ownUrls.add(found.url);
    return found;
  },
  save(upload) {
    ownUrls.add(upload.url);
    write([...others(upload.fingerprint), { ...upload, at: Date.now(), tab: tabId() }]);
  },
  remove: (fingerprint) => write(others(fingerprint)),
};

const others = (fingerprint: string) => read().filter((upload) => upload.fingerprint !== fingerprint);

/** Types that browsers can draw. Not SVG, which may contain scripts. */
const drawableTypes = /^image\/(?:png|jpeg|webp|gif|avif)$/;

/** Uploads a thumbnail in the background. */
async function addThumbnail(file: File, url: string): Promise<void> {
  if (!drawableTypes.test(file.type)) return;
  try {
    const { uploadThumbnail } = await import('./make-thumbnail.ts');
    await uploadThumbnail(file, url.split('/').at(-1) ?? '');
  } catch {}
}

export const uploads = new UploadQueue({
  start: startTransfer,
  end: endTransfer,
  storage,
  onFinished: (file, url) => void addThumbnail(file, url),
});

if (typeof window !== 'undefined') window.addEventListener('online', () => uploads.wake());

export function useUploads(): UploadProgress {
  return useSyncExternalStore(uploads.watch, uploads.progress);
}

/** Returns where an upload can be resumed. In `this browser` the user must choose the file again. */
export function uploadLocation(
  uploadId: string,
): 'this tab' | 'another tab' | 'this browser' | 'another browser' {
  if ([...ownUrls].some((url) => isOf(url, uploadId))) return 'this tab';
  const found = read().find(({ url }) => isOf(url, uploadId));
  if (!found) return 'another browser';
  return found.tab !== tabId() && found.at > Date.now() - interruptedAfterMs ? 'another tab' : 'this browser';
}

const isOf = (url: string, uploadId: string) => url.endsWith(`/${uploadId}`);

function tabId(): string {
  try {
    const name = window.sessionStorage.getItem('tab') ?? crypto.randomUUID();
    window.sessionStorage.setItem('tab', name);
    return name;
  } catch {
    return '';
  }
}

/** Deletes an interrupted upload on the server, then removes its stored state. */
export async function discardUpload(uploadId: string): Promise<void> {
  await endTransfer(`${uploadsPath}/${uploadId}`);
  write(read().filter(({ url }) => !isOf(url, uploadId)));
}
