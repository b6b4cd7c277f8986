/** Runs a bulk action on a selection of any size in batches, within the time limit of one call. */
import { createMessage, type MessageDefinition } from '@vestibule/contract/texts/text';
import type { Selection, Skipped } from '@vestibule/contract/values';
import type { ListReader } from './list-page.ts';

/** Describes a skipped row and the reason. `label` is empty if the row is unknown. */
export function describeSkipped(
  id: string,
  label: string | undefined,
  why: MessageDefinition,
  person: Skipped['person'] = null,
): Skipped {
  const reasonText = createMessage(why);
  return { id, label: label ?? '', person, reason: reasonText.message, reasonText };
}

/** Rows per transaction. 1,000 take 0.1 to 0.5 s, far below the 10 s limit also on a busy machine. */
const idsPerBatch = 1_000;
/** No batch starts after this time, so that the response arrives before the browser's timeout (20 s). */
const callLimitMs = 4_000;
const maxSkippedReported = 100;

/**
 * Calls `act`, which runs one transaction and returns the skipped rows, for each batch. Rows that were not processed in
 * time are returned as `rest`, the selection of the next call. Batches are ordered by id and `rest` starts after the
 * last one, so that no row is processed twice even if it still matches.
 */
export async function runBulkAction<S extends Selection>(
  list: Pick<ListReader<unknown>, 'select'>,
  selection: S,
  act: (ids: string[]) => Promise<Skipped[]>,
  now: () => number,
) {
  const ids = await list.select(selection);
  const until = now() + callLimitMs;
  const skipped: Skipped[] = [];
  let reached = 0;
  while (reached < ids.length && now() < until) {
    const part = ids.slice(reached, reached + idsPerBatch);
    try {
      skipped.push(...(await act(part)));
    } catch (error) {
      // Report the completed batches; the next call repeats this one, and throws if it fails again.
      if (reached === 0) throw error;
      break;
    }
    reached += part.length;
  }
  return {
    done: reached - skipped.length,
    skipped: skipped.slice(0, maxSkippedReported),
    skippedCount: skipped.length,
    rest: reached < ids.length ? remainingSelection(selection, ids, reached) : null,
  };
}

function remainingSelection<S extends Selection>(selection: S, ids: string[], reached: number): S {
  if ('ids' in selection) return { ...selection, ids: ids.slice(reached) };
  const { all } = selection;
  const total = ids.length - reached + (all.except?.length ?? 0);
  return { ...selection, all: { ...all, after: ids[reached - 1], total } };
}
