/** Reads files into the lists of a draft. Files may be read concurrently, so changes use updater functions. */
import { UnusableFile } from './import/file-text.ts';
import type { Choices, List } from './import/list-columns.ts';
import { readList } from './import/read-list.ts';
import { namedList, type NamedList } from './invite-draft.ts';

export type ChangeLists = (next: (before: NamedList[]) => NamedList[]) => void;

type Reading = {
  change: ChangeLists;
  /** Called with an error message, or with an empty text when there is none. */
  onProblem: (sentence: string) => void;
  read?: typeof readList;
};

export async function addFiles(files: readonly File[], reading: Reading): Promise<void> {
  const { change, onProblem, read = readList } = reading;
  onProblem('');
  for (const file of files) {
    try {
      const fresh = namedList(file.name, await read(file), file);
      change((before) => [...before, fresh]);
    } catch (error) {
      onProblem(`${file.name}: ${sentenceOf(error)}`);
    }
  }
}

/** Latest choices per file. */
const latest = new WeakMap<File, Choices>();

/** Reads a list again with other choices. Keeps the previous result if that fails, and ignores results of earlier choices. */
export async function chooseReading(
  { id, title, file }: NamedList,
  chosen: Choices,
  { change, onProblem, read = readList }: Reading,
): Promise<void> {
  if (!file) return;
  const update = (part: Partial<NamedList>) =>
    change((before) => before.map((one) => (one.id === id ? { ...one, ...part } : one)));
  latest.set(file, chosen);
  onProblem('');
  update({ chosen });
  let fresh: Partial<List> = {};
  let problem = '';
  try {
    fresh = await read(file, chosen);
  } catch (error) {
    problem = `${title}: ${sentenceOf(error)}`;
  }
  if (latest.get(file) !== chosen) return;
  update({ ...fresh, chosen: undefined });
  onProblem(problem);
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof UnusableFile)) throw error;
  return error.message;
}
