/** What every page says while parts that are for development run where the public can reach them (statement O7). */
import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';

/** Shows it beside the screens, which come and go, in whatever language is spoken. */
export function showDemonstration(): void {
  const notice = document.createElement('aside');
  notice.className = 'demonstration';
  const write = () => {
    notice.ariaLabel = t`Demonstration`;
    notice.textContent = t`For demonstration only. Do not enter real data.`;
  };
  write();
  i18n.on('change', write);
  document.body.append(notice);
}
