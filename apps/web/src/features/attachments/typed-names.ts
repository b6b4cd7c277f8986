/** Parsing of several names in one field, such as `hopper; knu`. */
const separator = ';';
/** Like the separators of addresses in the invitation dialog. */
const separators = /[,;]/;

export const parseNames = (typed: string): string[] =>
  typed
    .split(separators)
    .map((name) => name.trim())
    .filter(Boolean);

/** Returns whether a separator was added. */
export const isNameFinished = (previous: string, typed: string): boolean =>
  typed.split(separators).length > previous.split(separators).length;

/** Appends a separator to each name. */
export const separateNames = (typed: string): string =>
  parseNames(typed)
    .map((name) => `${name}${separator} `)
    .join('');

/** Returns the last name without a pending lookup. */
export const unresolvedName = (typed: string, isPending: (name: string) => boolean): string =>
  parseNames(typed).findLast((name) => !isPending(name)) ?? '';

export const withoutName = (typed: string, name: string): string =>
  typed
    .split(separator)
    .filter((part) => part.trim() !== name)
    .join(separator)
    .trimStart();

/** Removes the last separator, so that the name before it can be edited. */
export const withoutLastSeparator = (typed: string): string => typed.replace(/\s*;\s*$/, '');
