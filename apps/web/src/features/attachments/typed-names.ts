/** Names in one field, of which some are being looked up while others are typed: `hopper; knu`. */
const separator = ';';
/** What finishes a name, as it finishes an address where people are invited. */
const separators = /[,;]/;

export const namesIn = (typed: string): string[] =>
  typed
    .split(separators)
    .map((name) => name.trim())
    .filter(Boolean);

/** Somebody has just finished a name: there are more separators than before. */
export const isFinished = (before: string, typed: string): boolean =>
  typed.split(separators).length > before.split(separators).length;

/** Somebody was asked about all of them; what is typed next stands apart. */
export const asAsked = (typed: string): string =>
  namesIn(typed)
    .map((name) => `${name}${separator} `)
    .join('');

/** Whom somebody is looking for: the last name that is not being looked up. */
export const lookedFor = (typed: string, isAsked: (name: string) => boolean): string =>
  namesIn(typed).findLast((name) => !isAsked(name)) ?? '';

/** What is left once `name` is found. */
export const withoutName = (typed: string, name: string): string =>
  typed
    .split(separator)
    .filter((part) => part.trim() !== name)
    .join(separator)
    .trimStart();

/** The last name again as it was typed, to be corrected. */
export const withoutEnd = (typed: string): string => typed.replace(/\s*;\s*$/, '');
