/** Decodes the text of a table in a file, such as CSV. Throws if it is not text; the error says how to convert the file. */

import { t } from '@lingui/core/macro';
import { cleanText } from '@vestibule/contract/rules/clean-text';
import { decodeAs, detectEncoding, samplesOf, type Encoding, type EncodingSample } from './encodings.ts';

/** Maximum size of a file in bytes: ten thousand rows of 800 characters. */
export const maximumBytes = 8 * 1024 ** 2;

/** An error whose message is shown to the user. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
}

const startsWith = (bytes: Uint8Array, signature: readonly number[]) =>
  signature.every((byte, at) => bytes[at] === byte);

/** Returns whether a file is a ZIP archive, such as an Excel workbook, or an old or encrypted workbook. */
const isWorkbook = (bytes: Uint8Array): boolean =>
  startsWith(bytes, [0x50, 0x4b, 3, 4]) || startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0]);

const isPdf = (bytes: Uint8Array) => startsWith(bytes, [0x25, 0x50, 0x44, 0x46]);

const notText = () => t`This file contains no text. Save the list as “CSV UTF-8” and drop that file here.`;

export const unreadableFormat = (): string =>
  t`This file cannot be read. It may be an old or protected workbook, or one of another program. Save it as “Excel workbook (.xlsx)” without a password, or as “CSV UTF-8”, and drop that file here.`;

export const tooLarge = (): string =>
  t`This file is larger than ${maximumBytes / 1024 ** 2} MB. Remove columns that are not needed, or split it into smaller files.`;

/** The encoding in use, and sample text in each possible encoding. Null for valid Unicode. */
export type TextEncoding = { used: Encoding; samples: EncodingSample[] } | null;

/** `notes` are about what is not read. */
export type FileText = { text: string; encoding: TextEncoding; notes: string[] };

/** Returns the text of the first bytes of a file. `isTruncated` means that the file has more bytes, so the last character may be incomplete. */
export function decodeText(bytes: Uint8Array, isTruncated: boolean, chosen?: Encoding): FileText {
  if (bytes.length === 0) throw new UnusableFile(t`This file is empty.`);
  if (isPdf(bytes))
    throw new UnusableFile(
      t`This is a PDF file. Copy the addresses from it and paste them, or drop a CSV file here.`,
    );
  const { text: complete, encoding } = decodeBytes(bytes, isTruncated, chosen);
  const text = withoutEndMarks(complete);
  // Removes invisible characters, which would make an address invalid, and the byte order mark.
  const visible = cleanText(text);
  // oxlint-disable-next-line no-control-regex -- control characters distinguish other formats from text
  if (/[\0-\x08\x0E-\x1A\x1C-\x1F]/.test(visible)) throw new UnusableFile(notText());
  if (otherFormat.test(visible)) throw new UnusableFile(unreadableFormat());
  return { text: visible, encoding, notes: [] };
}

/** Web pages and XML, which many programs export as `.xls`, and JSON. */
const otherFormat = /^\s*(?:<(?:!doctype|\?xml|html|head|meta|style|div|table)\b|\[?\s*\{\s*")/i;

/** Removes blanks, zero bytes and 0x1A from the end: DOS programs end a file with 0x1A and fill its last block with zero bytes. */
function withoutEndMarks(text: string): string {
  let end = text.length;
  while (end > 0 && ['', '\0', '\x1A'].includes((text[end - 1] ?? '').trim())) end -= 1;
  return text.slice(0, end);
}

/** Decodes the first bytes of a text in any encoding, as `decodeText`, without checking them. */
export function decodeBytes(
  bytes: Uint8Array,
  isTruncated: boolean,
  chosen?: Encoding,
): Pick<FileText, 'text' | 'encoding'> {
  const unicode = decodeUnicode(bytes, isTruncated);
  if (unicode !== undefined) return { text: unicode, encoding: null };
  const used = chosen ?? detectEncoding(bytes);
  return { text: decodeAs(bytes, used), encoding: { used, samples: samplesOf(bytes) } };
}

/** Decodes valid UTF-8 or UTF-16. Returns undefined for other encodings. */
function decodeUnicode(bytes: Uint8Array, isTruncated: boolean): string | undefined {
  const utf16 = utf16Of(bytes);
  if (utf16) return new TextDecoder(utf16).decode(bytes, { stream: isTruncated });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isTruncated });
  } catch {
    return undefined;
  }
}

/** Detects UTF-16 by the byte order mark, or by zero bytes: in Latin text every other byte is zero. */
function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const zeros = [0, 0];
  const sample = bytes.subarray(0, 4_000);
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2]! += 1;
  const [even = 0, odd = 0] = zeros;
  const many = sample.length / 4;
  if (odd > many && even < many / 10) return 'utf-16le';
  return even > many && odd < many / 10 ? 'utf-16be' : undefined;
}

/** Reads a workbook or a text. `isTruncated` means that the file has more bytes. Throws `UnusableFile`. */
export async function readFileText(
  bytes: Uint8Array,
  isTruncated: boolean,
  chosen?: Encoding,
): Promise<FileText> {
  if (!isWorkbook(bytes)) return decodeText(bytes, isTruncated, chosen);
  const { readWorkbook } = await import('./workbook.ts');
  return readWorkbook(bytes, isTruncated);
}
