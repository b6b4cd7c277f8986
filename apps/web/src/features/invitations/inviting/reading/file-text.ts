/**
 * The text of a file that should be a list, whatever program wrote it: UTF-8 with and without byte order mark, UTF-16,
 * Windows-1252 (which Latin-1 is a part of). What is no text is refused with a sentence that says what to do.
 */

import { t } from '@lingui/core/macro';
import { cleanText } from '@vestibule/contract/rules/clean-text';

/** Ten thousand rows of 800 characters: who has more, has no list of addresses. */
export const maximumBytes = 8 * 1024 ** 2;

/** Why a file cannot be used, in a sentence for the person who chose it. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
}

/** The signatures of what people take for a CSV file: the first bytes, and what it is. */
const otherFormats = (): readonly { bytes: readonly number[]; advice: string }[] => [
  {
    bytes: [0x50, 0x4b],
    advice: t`This is an Excel workbook or another compressed file, despite its name. Open it, choose “Save as” and “CSV UTF-8”, and drop that file here.`,
  },
  {
    bytes: [0xd0, 0xcf, 0x11, 0xe0],
    advice: t`This is an old Excel workbook, despite its name. Open it, choose “Save as” and “CSV UTF-8”, and drop that file here.`,
  },
  {
    bytes: [0x25, 0x50, 0x44, 0x46],
    advice: t`This is a PDF file. Copy the addresses from it and paste them, or drop a CSV file here.`,
  },
];

const notText = () => t`This file contains no text. Save the list as “CSV UTF-8” and drop that file here.`;

/** The text of the first bytes of a file; `cut` says that more follow, so that the last character may be half there. */
export function decodeText(bytes: Uint8Array, cut: boolean): string {
  if (bytes.length === 0) throw new UnusableFile(t`This file is empty.`);
  for (const { bytes: signature, advice } of otherFormats())
    if (signature.every((byte, at) => bytes[at] === byte)) throw new UnusableFile(advice);
  // With the byte order mark; an address would be none with what nobody sees in it.
  const text = cleanText(decode(bytes, cut));
  // oxlint-disable-next-line no-control-regex -- they are what tells text from anything else
  if (/[\0-\x08\x0E-\x1A\x1C-\x1F]/.test(text)) throw new UnusableFile(notText());
  return text;
}

function decode(bytes: Uint8Array, cut: boolean): string {
  const utf16 = utf16Of(bytes);
  if (utf16) return new TextDecoder(utf16).decode(bytes, { stream: cut });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** By the byte order mark, or by where the zeros are: in Latin letters every other byte is one. */
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
