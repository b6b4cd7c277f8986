import type { Finder, Verb } from '../../lib/finder.ts';
import { readObject, readVerbs } from './palette-commands.ts';

const minimumLength = 2;

/** A search by one finder; with a verb, limited to items it applies to. */
export type FinderSearch = { finder: Finder; verb?: Verb; search: string };

/** "paula, …" searches for "paula"; "revoke paula" for the text and for revocable items. */
export function searchesFor(text: string, finders: readonly Finder[]): FinderSearch[] {
  const searching = finders.filter(({ search }) => search);
  const typed = readObject(text)?.object ?? text.trim();
  return [
    ...readVerbs(
      text,
      searching.flatMap((finder) => (finder.verbs ?? []).map((verb) => ({ ...verb, finder }))),
    ).map(({ verb, rest }) => ({
      finder: verb.finder,
      verb,
      search: rest.length >= minimumLength ? rest : '',
    })),
    ...(typed.length >= minimumLength ? searching.map((finder) => ({ finder, search: typed })) : []),
  ];
}

/** Equal for texts with the same searches. */
export const searchesKey = (jobs: readonly FinderSearch[]): string =>
  JSON.stringify(jobs.map(({ finder, verb, search }) => [finder.title, verb?.label, search]));
