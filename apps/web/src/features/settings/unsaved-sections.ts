/** Sections with unsaved input, which stays in this tab. */
import { useEffect, useSyncExternalStore } from 'react';
import { Listeners } from '../../ui/listeners.ts';
import { dropDraft, hasDraft } from '../../ui/fields/use-form.ts';
import type { AreaId } from './sections.ts';

const told = new Map<AreaId, boolean>();
const listeners = new Listeners();

/** Key of a section's draft. */
export const draftOf = (area: AreaId): string => `settings-${area}`;

export function useTellUnsaved(area: AreaId, isChanged: boolean): void {
  useEffect(() => {
    told.set(area, isChanged);
    listeners.tell();
  }, [area, isChanged]);
}

/** Marks a section as saved if the user left it during the submission. */
export function forgetUnsaved(area: AreaId, saved: object): void {
  if (!dropDraft(draftOf(area), saved)) return;
  told.set(area, false);
  listeners.tell();
}

/** Returns the unsaved sections, comma-separated. A section that was not rendered yet is judged by its draft. */
export function useUnsaved(areas: readonly AreaId[]): string {
  return useSyncExternalStore(listeners.watch, () =>
    areas.filter((area) => told.get(area) ?? hasDraft(draftOf(area))).join(','),
  );
}
