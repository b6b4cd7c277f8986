import { decodeText, maximumBytes } from '../../../../lib/tables/file-text.ts';
import type { List, ReadChoices } from './list-columns.ts';
import { readTable } from './table-entries.ts';

/** Reads the list in a text file. */
export function readTextFile(content: string | Uint8Array, choices: ReadChoices = {}): List {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const cut = bytes.length > maximumBytes;
  return readTable(decodeText(bytes.subarray(0, maximumBytes), cut, choices.encoding), cut, choices);
}

/** Returns the people of the list in a text file, as `name <address> role`. */
export const peopleIn = (content: string | Uint8Array, choices?: ReadChoices) =>
  readTextFile(content, choices).entries.map(
    ({ email, name, role }) => `${name} <${email}>${role ? ` ${role}` : ''}`,
  );
