/** Parts below the screens, outside of the React root. Loaded only on sites that have some. */
import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import type { Configuration } from '@vestibule/contract/configuration';
import { operatorLinks } from '../../lib/operator-links.ts';
import './page-foot.css';

export function showPageFoot(configuration: Configuration): void {
  const links = Object.assign(document.createElement('footer'), { className: 'operator-links' });
  const notice = Object.assign(document.createElement('aside'), { className: 'demonstration' });
  /** Writes the texts in the current language. */
  const update = () => {
    const anchors = operatorLinks(configuration).map(({ label, href }) =>
      Object.assign(document.createElement('a'), {
        target: '_blank',
        rel: 'noreferrer',
        href,
        textContent: label,
      }),
    );
    links.replaceChildren(...anchors);
    notice.ariaLabel = t`Demonstration`;
    notice.textContent = t`For demonstration only. Do not enter real data.`;
  };
  update();
  i18n.on('change', update);
  if (operatorLinks(configuration).length > 0) document.body.append(links);
  // Statement O7.
  if (configuration.IsDemonstration) document.body.append(notice);
}
