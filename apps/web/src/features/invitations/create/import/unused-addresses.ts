/** Notes about addresses in a file that are not invited. */
import { plural, t } from '@lingui/core/macro';
import { cutText } from '@vestibule/contract/rules/cut-text';
import type { Row } from '../../../../lib/tables/rows.ts';
import type { List } from './list-columns.ts';

/** Maximum number of addresses named for a column. */
const namedMaximum = 3;

const separators = /[\s,;|<>()[\]"“”„«»]+/;

/** Returns a note for each column with addresses that neither an entry nor another note contains. */
export function unusedAddressNotes(
  rows: readonly Row[],
  { entries, titles, notes }: Pick<List, 'entries' | 'titles' | 'notes'>,
): string[] {
  const used = new Set(
    [...entries.flatMap(({ email, name, message = '' }) => [email, name, message]), ...notes].flatMap(
      addressesOf,
    ),
  );
  const unused = new Map<number, string[]>();
  for (const { cells, number } of rows)
    for (const [at, cell] of cells.entries())
      // The messages of downloaded rows with problems contain examples and suggestions.
      for (const found of titles[at] === 'problem' ? [] : addressesOf(cell)) {
        if (used.has(found)) continue;
        used.add(found);
        const places = unused.get(at) ?? [];
        places.push(t`row ${number}: ${cutText(found, 100)}`);
        unused.set(at, places);
      }
  return [...unused].map(([at, places]) => {
    const title = titles[at] ?? t`column ${at + 1}`;
    const named = places.slice(0, namedMaximum).join('; ') + (places.length > namedMaximum ? '; …' : '');
    return plural(places.length, {
      one: `Not invited: # address of “${title}” (${named}).`,
      other: `Not invited: # addresses of “${title}” (${named}).`,
    });
  });
}

/** Returns the addresses in lower case. Principal names of guests in Entra ID are not addresses. */
function addressesOf(text: string): string[] {
  if (!text.includes('@')) return [];
  return text
    .split(separators)
    .filter((word) => /.@./.test(word))
    .map((found) =>
      found
        .toLowerCase()
        .replace(/^(?:mailto|smtp):([^?]*).*$/, '$1')
        .replace(/^['‘]+|[.:…!?'’]+$/g, ''),
    )
    .filter((found) => !found.includes('#ext#@'));
}
