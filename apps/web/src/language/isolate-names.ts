/** Isolates right-to-left names in translated texts. Not loaded by the login page, which shows no names. */
import { i18n, type I18n } from '@lingui/core';
import { isolateRightToLeft } from '@vestibule/contract/texts/isolate';

/** Patches `i18n._`, which returns all translated texts. */
export function isolateNames(): void {
  const translate: I18n['_'] = i18n._.bind(i18n);
  i18n._ = ((...args: Parameters<I18n['_']>) => isolateRightToLeft(translate(...args))) as I18n['_'];
}
