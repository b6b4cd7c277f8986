import type { Detect, Encoding } from './encodings.ts';
import { decodeText, isWorkbook, needsDetection, type FileText } from './file-text.ts';

/** Loads the detector of encodings if a file needs it. Without it, Windows-1252 is assumed. */
export async function loadDetector(bytes: Uint8Array, chosen?: Encoding): Promise<Detect | undefined> {
  if (!needsDetection(bytes, chosen)) return undefined;
  return (await import('jschardet').catch(() => undefined))?.detectAll;
}

/** Loads what a file needs to be read. `isTruncated` means that the file has more bytes. The function throws `UnusableFile`. */
export async function loadReader(
  bytes: Uint8Array,
  isTruncated: boolean,
  chosen?: Encoding,
): Promise<() => FileText | Promise<FileText>> {
  if (isWorkbook(bytes)) {
    const { readWorkbook } = await import('./workbook.ts');
    return () => readWorkbook(bytes, isTruncated);
  }
  const detect = await loadDetector(bytes, chosen);
  return () => decodeText(bytes, isTruncated, { chosen, detect });
}
