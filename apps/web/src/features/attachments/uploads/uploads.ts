/** The uploads of this tab, of which there is one queue, and what the browser remembers of them across reloads. */
import { uploadLifetimeHours, uploadsPath } from '@vestibule/contract/attachments';
import { useSyncExternalStore } from 'react';
import { storeJson, readJson } from '../../../lib/stored-json.ts';
import { endTransfer, startTransfer } from './tus-transfer.ts';
import type { UploadProgress } from './upload-progress.ts';
import { UploadQueue, type KeptUpload, type UploadMemory } from './upload-queue.ts';

/** Signing out clears it with everything else. */
const storageKey = 'uploads';
const lifetimeMilliseconds = uploadLifetimeHours * 60 * 60 * 1000;

/** So long after its last sign of life an upload of another tab is taken for interrupted. */
const silence = 60_000;

/** `tab`: who carried it, by a name that outlives a reload. */
type Remembered = KeptUpload & { at: number; tab: string };

function read(): Remembered[] {
  const kept = readJson<Remembered[]>('localStorage', storageKey);
  return Array.isArray(kept)
    ? kept.filter((one: Remembered | null) => (one?.at ?? 0) > Date.now() - lifetimeMilliseconds)
    : [];
}

/** Where nothing can be kept, uploads last as long as the page. */
const write = (all: readonly Remembered[]) => storeJson('localStorage', storageKey, all);

/** What this tab carries or has carried, by the address at the server. */
const carried = new Set<string>();

const memory: UploadMemory = {
  find(fingerprint) {
    const found = read().find((one) => one.fingerprint === fingerprint);
    if (found) carried.add(found.url);
    return found;
  },
  keep(upload) {
    carried.add(upload.url);
    write([...others(upload.fingerprint), { ...upload, at: Date.now(), tab: tabName() }]);
  },
  forget: (fingerprint) => write(others(fingerprint)),
};

const others = (fingerprint: string) => read().filter((one) => one.fingerprint !== fingerprint);

/** What browsers draw; SVG, which could run something, is not among it. */
const drawn = /^image\/(?:png|jpeg|webp|gif|avif)$/;

/** After a picture comes its small one, which nothing waits for. */
async function addThumbnail(file: File, url: string): Promise<void> {
  if (!drawn.test(file.type)) return;
  try {
    const { giveThumbnail } = await import('./make-thumbnail.ts');
    await giveThumbnail(file, url.split('/').at(-1) ?? '');
  } catch {
    // The list shows an icon.
  }
}

export const uploads = new UploadQueue({
  start: startTransfer,
  end: endTransfer,
  memory,
  arrived: (file, url) => void addThumbnail(file, url),
});

if (typeof window !== 'undefined') window.addEventListener('online', () => uploads.wake());

export function useUploads(): UploadProgress {
  return useSyncExternalStore(uploads.watch, uploads.progress);
}

/** Who goes on with an upload that the server waits for. `this browser` can, once it is given the file again. */
export function carrierOf(uploadId: string): 'this tab' | 'another tab' | 'this browser' | 'another browser' {
  if ([...carried].some((url) => isOf(url, uploadId))) return 'this tab';
  const found = read().find(({ url }) => isOf(url, uploadId));
  if (!found) return 'another browser';
  return found.tab !== tabName() && found.at > Date.now() - silence ? 'another tab' : 'this browser';
}

const isOf = (url: string, uploadId: string) => url.endsWith(`/${uploadId}`);

function tabName(): string {
  try {
    const name = window.sessionStorage.getItem('tab') ?? crypto.randomUUID();
    window.sessionStorage.setItem('tab', name);
    return name;
  } catch {
    return '';
  }
}

/** Ends an upload that this tab does not carry. It is remembered until the server has taken it away. */
export async function giveUpUpload(uploadId: string): Promise<void> {
  await endTransfer(`${uploadsPath}/${uploadId}`);
  write(read().filter(({ url }) => !isOf(url, uploadId)));
}
