/** Splits the text of a list of people into cells. */
import { t } from '@lingui/core/macro';
import { batchMaximum } from '@vestibule/contract/rules/limits';
import { formatNumber } from '../../../../language/formats.ts';
import { plain } from '../../../../lib/tables/plain.ts';
import { readTableRows } from '../../../../lib/tables/rows.ts';
import { rateTitles } from './column-titles.ts';
import { isNamedAddress, readTypedAddresses } from './typed-addresses.ts';

/** The delimiter gives the most known titles, and the most rows in which addresses are separate from other text. */
export const readRows = (text: string) =>
  readTableRows(text, { rate: rateRows, maximumRows: batchMaximum, tooManyRows });

export const tooManyRows = (): string =>
  t`This is more than ${formatNumber(batchMaximum)} rows. Split it and invite one part at a time.`;

/** Returns whether a cell is an address, or a name with an address in angle brackets. */
export const isAddress = (cell: string): boolean =>
  isBareAddress(cell) || (cell.length < 1_000 && /^[^@<>]*<\s*[^\s@,;|<>]+@[^\s@,;|<>]+\s*>$/.test(cell));

/** Returns whether a cell is only an address. Principal names of guests in Entra ID are not addresses. */
export const isBareAddress = (cell: string): boolean =>
  cell.length < 1_000 && /^(?:mailto:)?[^\s@,;|<>"]+@[^\s@,;|<>"]+$/i.test(cell) && !/#ext#@/i.test(cell);

function rateRows(rows: readonly string[][]): number[] {
  const titles = rows.slice(0, 20).map((cells) => (cells.some(isAddress) ? 0 : rateTitles(cells)));
  return [Math.max(0, ...titles), rows.filter(hasSeparateAddresses).length];
}

/** Returns whether a row contains addresses and every cell with an @ consists only of addresses, bare or as `Name <address>`. */
function hasSeparateAddresses(cells: readonly string[]): boolean {
  const found = cells.filter((cell) => cell.includes('@'));
  return (
    found.length > 0 &&
    found.every(
      (cell) =>
        isAddress(cell) ||
        (!isNamedAddress(cell.slice(0, 1_000)) &&
          readTypedAddresses(cell.slice(0, 1_000)).every(({ email }) => isBareAddress(email))),
    )
  );
}

/** Roles in English, German and French. The server rejects other texts. */
const roles = new Map<string, 'member' | 'admin'>([
  ['member', 'member'],
  ['mitglied', 'member'],
  ['user', 'member'],
  ['benutzer', 'member'],
  ['nutzer', 'member'],
  ['membre', 'member'],
  ['utilisateur', 'member'],
  ['admin', 'admin'],
  ['administrator', 'admin'],
  ['administratorin', 'admin'],
  ['administrateur', 'admin'],
  ['administratrice', 'admin'],
]);

export const roleOf = (cell: string): 'member' | 'admin' | undefined => roles.get(plain(cell));
