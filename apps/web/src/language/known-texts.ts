/**
 * Texts that stand in English outside of macros, because programs without Lingui use them too: what the server says, and
 * the themes' names. The catalogs have them by an error's code or by themselves (known-texts.ts beside lingui.config.ts).
 */
import { i18n } from '@lingui/core';
import { formatDay } from './formats.ts';

/** The text of a code, with `values` in its gaps, or of a sentence, in the site's language; where there is none, `text` as it is. */
export function inLanguage(
  codeOrText: string,
  text = codeOrText,
  values?: Record<string, string | number>,
): string {
  if (i18n.messages[codeOrText] !== undefined) return i18n._(codeOrText, values);
  for (const [id, pattern] of sentencesWithGaps()) {
    const gaps = pattern.exec(text)?.slice(1);
    if (gaps) return i18n._(id, Object.fromEntries(gaps.map((gap, at) => [at, gapInLanguage(gap)])));
  }
  return text;
}

/** What fills a gap: another sentence, a day as the server writes it ("28 November 2026"), or something to be kept. */
function gapInLanguage(gap: string): string {
  if (/^\d{1,2} [A-Z][a-z]+ \d{4}$/.test(gap)) return formatDay(new Date(`${gap} 12:00`), 'long');
  const sentence = gap.trim();
  return sentence.includes(' ') ? gap.replace(sentence, inLanguage(sentence)) : gap;
}

let patterns: { of: object; list: [id: string, pattern: RegExp][] } | undefined;

function patternOf(sentence: string): RegExp {
  const words = sentence
    .split(/\{\d\}/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${words.join('(.*?)')}$`, 's');
}

/** Sentences such as "Row {0} has this address too. It is used once." */
function sentencesWithGaps(): [id: string, pattern: RegExp][] {
  if (patterns?.of !== i18n.messages)
    patterns = {
      of: i18n.messages,
      list: Object.keys(i18n.messages)
        .filter((id) => id.includes('{0}'))
        .map((id) => [id, patternOf(id)]),
    };
  return patterns.list;
}
