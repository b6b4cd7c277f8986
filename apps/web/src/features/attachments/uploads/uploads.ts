/** The upload queue of this tab, and its storage across reloads. */
import { uploadLifetimeHours } from '@vestibule/contract/attachments';
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import { storeJson, readJson } from '../../../lib/stored-json.ts';
import { discardUpload, transfer } from './tus-transfer.ts';
import { UploadQueue, type UploadProgress } from './upload-queue.ts';

/** A sign-out removes this entry. */
const storageKey = 'uploads';
const lifetimeMs = uploadLifetimeHours * 60 * 60 * 1000;
/** An upload of another tab that was not saved for this time counts as interrupted. In milliseconds. */
const interruptedAfterMs = 60_000;
/** Minimum time between two reports of finished uploads, in milliseconds. */
const batchDelayMs = 1_000;

/** `tab` is an id that survives a reload. */
type StoredUpload = { fingerprint: string; id: string; at: number; tab: string };

function readStored(): StoredUpload[] {
  const stored = readJson<StoredUpload[]>('localStorage', storageKey);
  return Array.isArray(stored) ? stored.filter((upload) => upload.at > Date.now() - lifetimeMs) : [];
}

/** Replaces the entries that `isReplaced` returns true for. If storage is unavailable, uploads cannot be resumed after a reload. */
const replaceStored = (isReplaced: (upload: StoredUpload) => boolean, ...added: StoredUpload[]) =>
  storeJson('localStorage', storageKey, [...readStored().filter((upload) => !isReplaced(upload)), ...added]);

/** Ids of the uploads that this tab has started or resumed. */
const ownIds = new Set<string>();

/** Types that browsers can draw. Not SVG, which may contain scripts. */
const drawableTypes = /^image\/(?:png|jpeg|webp|gif|avif)$/;

/** Uploads a thumbnail in the background. */
async function addThumbnail(file: File, id: string): Promise<void> {
  if (!drawableTypes.test(file.type)) return;
  try {
    const { uploadThumbnail } = await import('./make-thumbnail.ts');
    await uploadThumbnail(file, id);
  } catch {}
}

export const uploads = new UploadQueue({
  transfer,
  discard: discardUpload,
  storage: {
    find: (fingerprint) => readStored().find((upload) => upload.fingerprint === fingerprint)?.id,
    save(fingerprint, id) {
      ownIds.add(id);
      const upload = { fingerprint, id, at: Date.now(), tab: tabId() };
      replaceStored((other) => other.fingerprint === fingerprint, upload);
    },
    remove: (fingerprint) => replaceStored((upload) => upload.fingerprint === fingerprint),
  },
  onFinished: (file, id) => void addThumbnail(file, id),
});

if (typeof window !== 'undefined') window.addEventListener('online', () => uploads.wake());

export function useUploads(): UploadProgress {
  return useSyncExternalStore(uploads.watch, uploads.progress);
}

/** Calls `onFinished` once after one or more uploads of this tab have completed. */
export function useFinishedUploads(onFinished: () => void): void {
  const { done, active } = useUploads();
  const reported = useRef(done);
  const report = useEffectEvent(onFinished);
  useEffect(() => {
    if (done === reported.current) return undefined;
    const finish = () => {
      reported.current = done;
      report();
    };
    const timer = setTimeout(finish, active === 0 ? 0 : batchDelayMs);
    return () => clearTimeout(timer);
  }, [done, active]);
}

/** Returns where an interrupted upload can be resumed, in this browser after choosing the file again. Null if a tab continues it. */
export function uploadLocation(uploadId: string): 'this browser' | 'another browser' | null {
  if (ownIds.has(uploadId)) return null;
  const found = readStored().find(({ id }) => id === uploadId);
  if (!found) return 'another browser';
  return found.tab !== tabId() && found.at > Date.now() - interruptedAfterMs ? null : 'this browser';
}

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
export async function discardStoredUpload(uploadId: string): Promise<void> {
  await discardUpload(uploadId);
  replaceStored(({ id }) => id === uploadId);
}
