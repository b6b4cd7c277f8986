/** Notice on every page of a public demonstration (statement O7). */
import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';

/** Appends the notice outside of the React root; it follows the language. */
export function showDemonstrationNotice(): void {
  const notice = document.createElement('aside');
  notice.className = 'demonstration';
  const update = () => {
    notice.ariaLabel = t`Demonstration`;
    notice.textContent = t`For demonstration only. Do not enter real data.`;
  };
  update();
  i18n.on('change', update);
  document.body.append(notice);
}
