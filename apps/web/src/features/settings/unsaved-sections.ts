/** Which sections of Settings hold something that was typed and not saved. It waits in this tab, wherever somebody goes. */
import { useEffect, useSyncExternalStore } from 'react';
import { Listeners } from '../../ui/listeners.ts';
import { dropDraft, hasDraft } from '../../ui/fields/use-form.ts';
import type { AreaId } from './sections.ts';

const told = new Map<AreaId, boolean>();
const listeners = new Listeners();

/** The name under which a section's form keeps what was typed. */
export const draftOf = (area: AreaId): string => `settings-${area}`;

export function useTellUnsaved(area: AreaId, isChanged: boolean): void {
  useEffect(() => {
    told.set(area, isChanged);
    listeners.tell();
  }, [area, isChanged]);
}

/** What somebody left behind while it was being saved is saved. */
export function forgetUnsaved(area: AreaId, saved: object): void {
  if (!dropDraft(draftOf(area), saved)) return;
  told.set(area, false);
  listeners.tell();
}

/** Those of these sections, with commas. Before its form was on the screen, a section is judged by what it kept before a reload. */
export function useUnsaved(areas: readonly AreaId[]): string {
  return useSyncExternalStore(listeners.watch, () =>
    areas.filter((area) => told.get(area) ?? hasDraft(draftOf(area))).join(','),
  );
}
