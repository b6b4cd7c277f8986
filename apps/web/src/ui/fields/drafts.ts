/**
 * Drafts of forms in session storage, which survive a sign-in and a reload in this tab. A sign-out deletes them. Unavailable, full or
 * corrupt storage counts as empty.
 */

const prefix = 'draft:';

export function readDraft(name: string): unknown {
  try {
    return JSON.parse(window.sessionStorage.getItem(prefix + name) ?? 'null');
  } catch {
    return null;
  }
}

/** Stores a draft, or deletes it if it is null. */
export function writeDraft(name: string, draft: unknown): void {
  try {
    if (draft === null) window.sessionStorage.removeItem(prefix + name);
    else window.sessionStorage.setItem(prefix + name, JSON.stringify(draft));
  } catch {
    // Storage is unavailable or full.
  }
}

export function deleteDrafts(): void {
  for (const key of Object.keys(window.sessionStorage))
    if (key.startsWith(prefix)) window.sessionStorage.removeItem(key);
}
