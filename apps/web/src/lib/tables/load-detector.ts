import type { Detect, Encoding } from './encodings.ts';
import { needsDetection } from './file-text.ts';

/** Loads the detector of encodings if a file needs it. Without it, Windows-1252 is assumed. */
export async function loadDetector(bytes: Uint8Array, chosen?: Encoding): Promise<Detect | undefined> {
  if (!needsDetection(bytes, chosen)) return undefined;
  return (await import('jschardet').catch(() => undefined))?.detectAll;
}
