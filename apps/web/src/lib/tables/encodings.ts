/** Detects the encoding of a text file, and decodes it. */
import { t } from '@lingui/core/macro';

/** Encodings that Excel and other programs write. The first encoding is the most common. */
const encodings = [
  'windows-1252',
  'macintosh',
  'cp850',
  'windows-1250',
  'cp852',
  'windows-1251',
  'ibm866',
] as const;

export type Encoding = (typeof encodings)[number] | 'utf-8';

export type EncodingSample = { encoding: Encoding; text: string };

/** The upper halves of code pages that browsers cannot decode. */
const upperHalves = new Map<Encoding, string>([
  [
    'cp850',
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  ],
  [
    'cp852',
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
  ],
]);

/** Decodes bytes. In a text in UTF-8, bytes that are not valid UTF-8 are read as Windows-1252. */
export function decodeAs(bytes: Uint8Array, encoding: Encoding): string {
  const upper = upperHalves.get(encoding);
  if (upper !== undefined)
    return binaryOf(bytes).replaceAll(/[\x80-\xff]/g, (byte) => upper[byte.charCodeAt(0) - 128] ?? '');
  if (encoding !== 'utf-8') return new TextDecoder(encoding).decode(bytes);
  const [unicode, windows] = [new TextDecoder('utf-8'), new TextDecoder('windows-1252')];
  return binaryOf(bytes).replaceAll(sequenceOrByte, (found: string, sequence?: string) =>
    (sequence === undefined ? windows : unicode).decode(bytesOf(found)),
  );
}

/** Returns the encoding of a text that is not valid Unicode: UTF-8 with strays, or the one in which the text has the fewest signs of a wrong encoding. */
export function detectEncoding(bytes: Uint8Array): Encoding {
  if (isUtf8WithStrays(bytes)) return 'utf-8';
  const lines = accentedLines(bytes).slice(0, 500).map(bytesOf);
  const ranked = encodings.map((encoding) => {
    const texts = lines.map((line) => decodeAs(line, encoding));
    // Each line, because a list can have names of several languages; and all together, because most lists have names of one.
    const signs = [...texts, texts.join('\n')].map(
      (text) => (text.match(oddity)?.length ?? 0) + countForeignLetters(text, alphabetsOf[encoding]),
    );
    return { encoding, signs: signs.reduce((sum, count) => sum + count, 0) };
  });
  ranked.sort((one, other) => one.signs - other.signs);
  return ranked[0]?.encoding ?? 'windows-1252';
}

/** Returns the number of letters and symbols that are not in the best alphabet for a line. */
function countForeignLetters(line: string, alphabets: readonly string[]): number {
  const letters = line.toLowerCase().match(special) ?? [];
  return Math.min(
    ...alphabets.map((alphabet) => letters.filter((letter) => !alphabet.includes(letter)).length),
  );
}

/** Letters of the languages that an encoding is used for, besides a to z. */
const western = [
  'äöüßé',
  'àâæçéèêëîïôœùûüÿ',
  'áéíñóúü',
  'áâãàçéêíóôõúü',
  'àèéìíòóùú',
  'æøåäöéü',
  'áðéíóúýþæö',
  'àçèéíïòóúü',
];
const central = ['áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'áéíóöőúüű', 'ąćęłńóśźż', 'čćđšž', 'ăâîşţ', 'äöüß'];
const cyrillic = ['абвгдеёжзийклмнопрстуфхцчшщъыьэюя', 'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя'];
const alphabetsOf: Record<(typeof encodings)[number], string[]> = {
  'windows-1252': western,
  macintosh: western,
  cp850: western,
  'windows-1250': central,
  cp852: central,
  'windows-1251': cyrillic,
  ibm866: cyrillic,
};

/** A character that is not ASCII, except punctuation between words. */
const special = /(?![’‘“”„·–—…\u00a0])\P{ASCII}/gu;

/**
 * Returns whether the bytes are UTF-8 into which a program has written bytes of another encoding (strays). Text in another encoding hardly
 * contains the byte sequences of Latin letters in UTF-8 (`Ã¶` in Windows-1252), but may contain other sequences, for example in Cyrillic
 * words.
 */
function isUtf8WithStrays(bytes: Uint8Array): boolean {
  let [strays, sequences, latin] = [0, 0, 0];
  for (const [, sequence] of binaryOf(bytes).matchAll(sequenceOrByte)) {
    if (sequence === undefined) strays += 1;
    else sequences += 1;
    if (/^[\xc3-\xc5]/.test(sequence ?? '')) latin += 1;
  }
  return sequences > strays || (latin > 0 && latin * 2 >= strays);
}

/**
 * Group 1 matches a multi-byte UTF-8 character, which may be cut off at the end of the text. Without group 1, the match is any other byte
 * that is not ASCII.
 */
const sequenceOrByte =
  /([\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|(?:[\xc3-\xc5]|[\xe0-\xef][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{1,2})$)|[\x80-\xff]/g;

/** Signs of a wrong encoding. */
const oddity = new RegExp(
  [
    // A symbol within a word or before a small letter.
    /(?<=\p{L})[^\p{ASCII}\p{L}\p{M}’‘·–](?=\p{L})/u,
    /[^\p{ASCII}\p{L}](?=\p{Ll})/u,
    // A capital after a small letter, or as the second letter of a capitalised word.
    /(?<=\p{Ll})(?!\p{ASCII})\p{Lu}/u,
    /(?<=\p{Lu})(?!\p{ASCII})\p{Lu}(?=\p{Ll})/u,
    // Latin and Cyrillic letters in one word.
    /\p{Script=Latin}(?=\p{Script=Cyrillic})/u,
    /\p{Script=Cyrillic}(?=\p{Script=Latin})/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
);

/** Returns the lines with bytes that are not ASCII, as strings with one character for each byte. */
const accentedLines = (bytes: Uint8Array) =>
  binaryOf(bytes)
    .split(/[\r\n]+/)
    .filter((line) => /[\x80-\xff]/.test(line))
    .map((line) => line.slice(0, 2_000));

/** Returns a string with one character for each byte. */
function binaryOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return text;
}

const bytesOf = (binary: string) => Uint8Array.from(binary, (byte) => byte.charCodeAt(0));

/** Up to two accented parts of a line and the text around them. */
const fragment = /[\0-\x7f]{0,25}(?:[\x80-\xff]{1,60}[\0-\x7f]{0,25}){1,2}/g;

/** Returns the first accented parts of the text in every encoding. Parts with strays come first. */
export function samplesOf(bytes: Uint8Array): EncodingSample[] {
  const parts = accentedLines(bytes).flatMap((line) => line.match(fragment) ?? []);
  const hasStray = (part: string) =>
    [...part.matchAll(sequenceOrByte)].some(([, sequence]) => sequence === undefined);
  const shown = [...new Set([...parts.filter(hasStray), ...parts])].slice(0, 3).map(bytesOf);
  return (['utf-8', ...encodings] as const).map((encoding) => ({
    encoding,
    text: shown.map((part) => decodeAs(part, encoding).trim()).join(' … '),
  }));
}

/** Returns the options of a field in which a user chooses the encoding. */
export const encodingOptions = (samples: readonly EncodingSample[]) =>
  samples.map(({ encoding, text }) => ({ value: encoding, label: `${text} – ${encodingNames()[encoding]}` }));

const encodingNames = (): Record<Encoding, string> => ({
  'utf-8': 'UTF-8',
  'windows-1252': t`Western European (Windows)`,
  macintosh: t`Western European (Mac)`,
  cp850: t`Western European (DOS)`,
  'windows-1250': t`Central European (Windows)`,
  cp852: t`Central European (DOS)`,
  'windows-1251': t`Cyrillic (Windows)`,
  ibm866: t`Cyrillic (DOS)`,
});
