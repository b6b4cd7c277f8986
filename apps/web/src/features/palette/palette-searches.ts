/** What the finders are asked for a text. */
import type { Finder, Verb } from '../../lib/finder.ts';
import { readObject, readVerbs } from './palette-commands.ts';

/** Nothing is searched for fewer letters. */
const shortest = 2;

/** One question to one finder; with a verb it is about what that can be done to. */
export type Job = { finder: Finder; verb?: Verb; search: string };

/** The search of "paula, …" is that of "paula"; of "revoke paula" it is both of the text and of what can be revoked. */
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

/** Equal for texts that ask the same. */
export const keyOf = (jobs: readonly Job[]): string =>
  JSON.stringify(jobs.map(({ finder, verb, search }) => [finder.title, verb?.label, search]));
