/** Samples of a text file in several encodings, by which a person recognises the right one. */
import { accentedLines, bytesOf, decodeAs, encodings, type Encoding } from './encodings.ts';

export type EncodingSample = { encoding: Encoding; text: string };

/** Maximum number of fragments with strays (bytes that are not UTF-8), and of fragments without strays. */
const maxFragments = 200;

/** Maximum number of fragments in a sample. */
const maxSampleFragments = 3;

/** Up to two accented parts of a line and the text around them. */
const fragment = /[\0-\x7f]{0,25}(?:[\x80-\xff]{1,60}[\0-\x7f]{0,25}){1,2}/g;

/** The texts of all fragments in an encoding. */
type Reading = { encoding: Encoding; texts: string[] };

/**
 * Returns a sample for the encoding in use and for every other encoding that decodes the text differently. All samples show the same
 * fragments of lines.
 */
export function samplesOf(bytes: Uint8Array, used: Encoding): EncodingSample[] {
  const accented = accentedLines(bytes).flatMap((line) => line.match(fragment) ?? []);
  const strays = [...new Set(accented.filter(hasStray).slice(0, maxFragments))];
  const others = [...new Set(accented.filter((text) => !hasStray(text)).slice(0, maxFragments))];
  const readings = findReadings([...strays, ...others].map(bytesOf), used);
  const shown = chooseFragments(readings, strays.length);
  return readings.map((reading) => ({ encoding: reading.encoding, text: textOf(reading, shown) }));
}

/** Returns the different readings, the one in the used encoding first. */
function findReadings(fragments: Uint8Array[], used: Encoding): Reading[] {
  const readings = new Map<string, Reading>();
  for (const encoding of [used, ...encodings, 'utf-8' as const]) {
    const texts = fragments.map((part) => decodeAs(part, encoding).trim());
    const key = texts.join('\n');
    if (!readings.has(key)) readings.set(key, { encoding, texts });
  }
  return [...readings.values()];
}

/** Returns the indexes of a few fragments that differ in as many readings as possible. The first `strayCount` fragments have strays. */
function chooseFragments(readings: Reading[], strayCount: number): number[] {
  const countDifferent = (indexes: number[]) =>
    new Set(readings.map((reading) => textOf(reading, indexes))).size;
  const fragmentCount = readings[0]?.texts.length ?? 0;
  const chosen: number[] = [];

  /** Adds the fragment, of the first `count` ones, with which most readings differ. */
  function addBest(count: number): void {
    let [best, most] = [-1, 0];
    for (let index = 0; index < count; index += 1) {
      const different = countDifferent([...chosen, index]);
      if (different > most) [best, most] = [index, different];
    }
    if (best >= 0) chosen.push(best);
  }

  // The samples must show a stray if there is one: its encoding is doubtful even if all encodings decode it alike.
  addBest(strayCount > 0 ? strayCount : fragmentCount);
  while (chosen.length < maxSampleFragments && countDifferent(chosen) < readings.length)
    addBest(fragmentCount);
  return chosen;
}

const textOf = ({ texts }: Reading, indexes: number[]) => indexes.map((index) => texts[index]).join(' … ');

/** Returns whether a text has bytes that are not UTF-8, or ends within a letter. */
const hasStray = (text: string) => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(text));
    return false;
  } catch {
    return true;
  }
};
