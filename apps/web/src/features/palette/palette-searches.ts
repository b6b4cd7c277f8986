/** Server searches for a typed text. */
import type { Finder, Verb } from '../../lib/finder.ts';
import { readObject, readVerbs } from './palette-commands.ts';

/** Minimum number of letters. */
const shortest = 2;

/** A search by one finder; with a verb, limited to items it applies to. */
export type Job = { finder: Finder; verb?: Verb; search: string };

/** "paula, …" searches for "paula"; "revoke paula" for the text and for revocable items. */
export function searchesFor(text: string, finders: readonly Finder[]): Job[] {
  const searching = finders.filter(({ search }) => search);
  const typed = readObject(text)?.object ?? text.trim();
  return [
    ...readVerbs(
      text,
      searching.flatMap((finder) => (finder.verbs ?? []).map((verb) => ({ ...verb, finder }))),
    ).map(({ verb, rest }) => ({ finder: verb.finder, verb, search: rest.length >= shortest ? rest : '' })),
    ...(typed.length >= shortest ? searching.map((finder) => ({ finder, search: typed })) : []),
  ];
}

/** Equal for texts that lead to the same searches. */
export const keyOf = (jobs: readonly Job[]): string =>
  JSON.stringify(jobs.map(({ finder, verb, search }) => [finder.title, verb?.label, search]));
