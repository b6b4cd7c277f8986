/**
 * Texts that stand in English outside of macros, because programs without Lingui use them too: the contract's messages
 * and the themes' names. The catalogs have them by an error's code or by themselves (known-texts.ts beside lingui.config.ts).
 */
import { i18n } from '@lingui/core';

/** The text of an error's code, or of a sentence, in the site's language; where there is none, `text` as it is. */
export function inLanguage(codeOrText: string, text = codeOrText): string {
  return i18n.messages[codeOrText] === undefined ? text : i18n._(codeOrText);
}
