/** Isolates right-to-left names in the texts of the application. The login page has no names and does without. */
import { i18n, type I18n } from '@lingui/core';
import { isolateRightToLeft } from '@vestibule/contract/texts/isolate';

/** Every text passes `i18n._`, from the macros, the elements and the server. */
export function isolateNames(): void {
  const translate: I18n['_'] = i18n._.bind(i18n);
  i18n._ = ((...given: Parameters<I18n['_']>) => isolateRightToLeft(translate(...given))) as I18n['_'];
}
