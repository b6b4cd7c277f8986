/** Reads files into the lists of a draft. Files may be read concurrently, so changes use updater functions. */
import { UnusableFile } from '../../../lib/tables/file-text.ts';
import type { ReadChoices, List } from './import/list-columns.ts';
import { readList } from './import/read-list.ts';
import { createList, type NamedList } from './invite-draft.ts';

export type UpdateLists = (update: (previous: NamedList[]) => NamedList[]) => void;

type ReadOptions = {
  updateLists: UpdateLists;
  /** Called with an error message, or with an empty text if there is no error. */
  onProblem: (message: string) => void;
  read?: typeof readList;
};

export async function addFiles(files: readonly File[], options: ReadOptions): Promise<void> {
  const { updateLists, onProblem, read = readList } = options;
  onProblem('');
  for (const file of files) {
    try {
      const result = createList(file.name, await read(file), file);
      updateLists((previous) => [...previous, result]);
    } catch (error) {
      onProblem(`${file.name}: ${messageOf(error)}`);
    }
  }
}

/** Reads a list again with other choices. If this fails, the previous result stays. Results of earlier choices are ignored. */
export async function rereadList(
  { id, title, file }: NamedList,
  choices: ReadChoices,
  { updateLists, onProblem, read = readList }: ReadOptions,
): Promise<void> {
  if (!file) return;
  const update = (isUpdated: (list: NamedList) => boolean, changes: Partial<NamedList>) =>
    updateLists((previous) => previous.map((list) => (isUpdated(list) ? { ...list, ...changes } : list)));
  onProblem('');
  update((list) => list.id === id, { pendingChoices: choices });
  let result: Partial<List> = {};
  let problem = '';
  try {
    result = await read(file, choices);
  } catch (error) {
    problem = `${title}: ${messageOf(error)}`;
  }
  update((list) => list.pendingChoices === choices, { ...result, pendingChoices: undefined });
  onProblem(problem);
}

function messageOf(error: unknown): string {
  if (!(error instanceof UnusableFile)) throw error;
  return error.message;
}
