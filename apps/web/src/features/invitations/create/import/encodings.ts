/** Encodings of text files: detection, decoding, and samples by which a person recognises the right one. */

/** The detector of jschardet, which is loaded only for files that are not Unicode. */
export type Detect = typeof import('jschardet').detectAll;

/** Encodings that Excel and other programs write, with the detector's names for them. The first is the most common. */
const detectable = {
  'windows-1252': 'Windows-1252',
  macintosh: 'MacRoman',
  cp850: 'cp850',
  'windows-1250': 'Windows-1250',
  cp852: 'cp852',
  'windows-1251': 'Windows-1251',
  ibm866: 'IBM866',
} as const;

export type Encoding = keyof typeof detectable | 'utf-8';

export type EncodingSample = { encoding: Encoding; text: string };

const encodings = Object.keys(detectable) as (keyof typeof detectable)[];

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

/** The text of bytes in an encoding. Bytes that are not UTF-8 in a text in UTF-8 are read as Windows-1252. */
export function decodeAs(bytes: Uint8Array, encoding: Encoding): string {
  const upper = upperHalves.get(encoding);
  if (upper !== undefined)
    return binaryOf(bytes).replaceAll(/[\x80-\xff]/g, (byte) => upper[byte.charCodeAt(0) - 128] ?? '');
  if (encoding !== 'utf-8') return new TextDecoder(encoding).decode(bytes);
  const [unicode, windows] = [new TextDecoder('utf-8'), new TextDecoder('windows-1252')];
  return binaryOf(bytes).replaceAll(sequenceOrByte, (found) =>
    (found.length > 1 ? unicode : windows).decode(bytesOf(found)),
  );
}

/** The encoding of a text that is not valid Unicode. Without `detect` it is Windows-1252 if it is not mostly UTF-8. */
export function detectEncoding(bytes: Uint8Array, detect?: Detect): Encoding {
  if (isMostlyUtf8(bytes)) return 'utf-8';
  if (!detect) return 'windows-1252';
  const lines = bytesOf(accentedLines(bytes).slice(0, 500).join('\n'));
  const oddities = (encoding: Encoding) => decodeAs(lines, encoding).match(oddity)?.length ?? 0;
  const least = Math.min(...encodings.map(oddities));
  const plausible = encodings.filter((encoding) => oddities(encoding) === least);
  const found = detect(lines, { detectEncodings: Object.values(detectable), minimumThreshold: 0 });
  const confidence = (encoding: (typeof encodings)[number]) =>
    found.find((one) => one.encoding === detectable[encoding])?.confidence ?? 0;
  // The names of a short list are about equally likely in several encodings.
  const enough = Math.max(...plausible.map(confidence)) * 0.9;
  return (
    plausible.find((encoding) => encoding === 'windows-1252' && confidence(encoding) >= enough) ??
    plausible.toSorted((one, other) => confidence(other) - confidence(one))[0] ??
    'windows-1252'
  );
}

/** The same line in the encoding in use, and in the others that read any line differently. */
export function samplesOf(bytes: Uint8Array, used: Encoding): EncodingSample[] {
  const accented = accentedLines(bytes);
  const strays = accented.filter(hasStray);
  const lines = [...strays, ...accented.filter((line) => !hasStray(line))].slice(0, 100);
  const readings = new Map<string, Encoding>();
  for (const encoding of [used, ...encodings, 'utf-8' as const]) {
    const text = decodeAs(bytesOf(lines.join('\n')), encoding);
    if (!readings.has(text)) readings.set(text, encoding);
  }
  const decoded = Array.from(readings, ([text, encoding]) => ({ encoding, lines: text.split('\n') }));
  const countReadings = (at: number) => new Set(decoded.map((one) => one.lines[at])).size;
  const [mostDifferent = 0] = Array.from(
    { length: Math.min(strays.length || lines.length, lines.length) },
    (_, at) => at,
  ).toSorted((one, other) => countReadings(other) - countReadings(one));
  return decoded.map((one) => ({
    encoding: one.encoding,
    text: aroundAccent(one.lines[mostDifferent] ?? ''),
  }));
}

function aroundAccent(line: string): string {
  const accent = line.search(/\P{ASCII}/u);
  return line.slice(Math.max(0, accent - 30), accent + 30).trim();
}

/** Whether more accents are valid UTF-8 than not: a text in UTF-8 into which a program has written other bytes. */
export function isMostlyUtf8(bytes: Uint8Array): boolean {
  const found = binaryOf(bytes).match(sequenceOrByte) ?? [];
  return found.filter(({ length }) => length > 1).length > found.length / 2;
}

/** A character of several bytes in UTF-8, or any other byte that is not ASCII. */
const sequenceOrByte =
  /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g;

const hasStray = (line: string) => (line.match(sequenceOrByte) ?? []).some(({ length }) => length === 1);

/**
 * Signs of a wrong encoding: a symbol within a word or before a small letter, a capital between small letters or as the second
 * letter of a capitalised word, Latin and Cyrillic letters in one word, and control characters.
 */
const oddity =
  /(?<=\p{L})[^\p{ASCII}\p{L}\p{M}’‘·–](?=\p{L})|[^\p{ASCII}\p{L}](?=\p{Ll})|(?<=\p{Ll})(?!\p{ASCII})\p{Lu}|(?<=\p{Lu})(?!\p{ASCII})\p{Lu}(?=\p{Ll})|\p{Script=Latin}(?=\p{Script=Cyrillic})|\p{Script=Cyrillic}(?=\p{Script=Latin})|[\u0080-\u009f\ufffd]/gu;

const accentedLines = (bytes: Uint8Array) =>
  binaryOf(bytes)
    .split(/[\r\n]+/)
    .filter((line) => /[\x80-\xff]/.test(line))
    .map((line) => line.slice(0, 2_000));

/** The bytes as a string with one character for each. */
function binaryOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return text;
}

const bytesOf = (binary: string) => Uint8Array.from(binary, (byte) => byte.charCodeAt(0));
