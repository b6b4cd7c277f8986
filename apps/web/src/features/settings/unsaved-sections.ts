/** Sections with unsaved input, which stays in this tab. */
import { useEffect, useSyncExternalStore } from 'react';
import { Listeners } from '../../ui/listeners.ts';
import { readDraft } from '../../ui/fields/drafts.ts';
import type { AreaId } from './sections.ts';

const unsavedByArea = new Map<AreaId, boolean>();
const listeners = new Listeners();

export const draftKey = (area: AreaId): string => `settings-${area}`;

export function useReportUnsaved(area: AreaId, isChanged: boolean): void {
  useEffect(() => {
    unsavedByArea.set(area, isChanged);
    listeners.notify();
  }, [area, isChanged]);
}

/** Returns the ids of the unsaved sections, comma-separated. A section that was not rendered yet counts as unsaved if it has a draft. */
export function useUnsaved(areas: readonly AreaId[]): string {
  return useSyncExternalStore(listeners.watch, () =>
    areas.filter((area) => unsavedByArea.get(area) ?? readDraft(draftKey(area)) !== null).join(','),
  );
}
