/** Acts on a selection of any size: part by part, each as good as a call of its own, for as long as a call may take. */
import { say, type TextDefinition } from '@vestibule/contract/texts/text';
import type { Selection, Skipped } from '@vestibule/contract/values';
import type { ListReader } from './list-page.ts';

/** Somebody or something that is left as it is, and why. `label` is empty where it is not known what it was. */
export function skip(
  id: string,
  label: string | undefined,
  why: TextDefinition,
  person: Skipped['person'] = null,
): Skipped {
  const reasonText = say(why);
  return { id, label: label ?? '', person, reason: reasonText.message, reasonText };
}

/** Rows of one transaction. 1,000 take 0.1 to 0.5 s, so that a part fits into its 10 s on a busy machine as well. */
const partSize = 1_000;
/** No part is begun after this, so that the answer is there before a browser gives up (20 s). */
const callMilliseconds = 4_000;
const skippedShown = 100;

/**
 * `act` does it to a part of the rows, in one transaction, and says whom it left out. What it was not called for is the
 * `rest` of the answer: the selection that the next call goes on with. The parts are in the order of their ids and the
 * rest begins behind the last, so that nothing is done twice even where rows still match once it is done.
 */
export async function actInParts<S extends Selection>(
  list: Pick<ListReader<unknown>, 'select'>,
  selection: S,
  act: (ids: string[]) => Promise<Skipped[]>,
  now: () => number,
) {
  const ids = await list.select(selection);
  const until = now() + callMilliseconds;
  const skipped: Skipped[] = [];
  let reached = 0;
  while (reached < ids.length && now() < until) {
    const part = ids.slice(reached, reached + partSize);
    try {
      skipped.push(...(await act(part)));
    } catch (error) {
      // What is done is told; the next call begins with this part, and tells what is the matter if it still is.
      if (reached === 0) throw error;
      break;
    }
    reached += part.length;
  }
  return {
    done: reached - skipped.length,
    skipped: skipped.slice(0, skippedShown),
    skippedCount: skipped.length,
    rest: reached < ids.length ? restOf(selection, ids, reached) : null,
  };
}

function restOf<S extends Selection>(selection: S, ids: string[], reached: number): S {
  if ('ids' in selection) return { ...selection, ids: ids.slice(reached) };
  const { all } = selection;
  const total = ids.length - reached + (all.except?.length ?? 0);
  return { ...selection, all: { ...all, after: ids[reached - 1], total } };
}
