/** Parts below the screens, outside of the React root. Loaded only on sites that have some. */
import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import type { Configuration } from '@vestibule/contract/configuration';
import { operatorLinks } from '../../lib/operator-links.ts';
import './page-foot.css';

/** `update` writes the texts in the current language. */
type Part = { element: HTMLElement; update: () => void };

/** The texts follow the language. */
export function showPageFoot(configuration: Configuration): void {
  const foot: Part[] = [];
  if (operatorLinks(configuration).length > 0) foot.push(createOperatorLinks(configuration));
  // Statement O7.
  if (configuration.IsDemonstration) foot.push(createDemonstrationNotice());
  const update = () => foot.forEach((part) => part.update());
  update();
  i18n.on('change', update);
  document.body.append(...foot.map(({ element }) => element));
}

function createOperatorLinks(configuration: Configuration): Part {
  const element = document.createElement('footer');
  element.className = 'operator-links';
  const update = () => {
    const links = operatorLinks(configuration).map(({ label, href }) =>
      Object.assign(document.createElement('a'), {
        target: '_blank',
        rel: 'noreferrer',
        href,
        textContent: label,
      }),
    );
    element.replaceChildren(...links);
  };
  return { element, update };
}

function createDemonstrationNotice(): Part {
  const element = document.createElement('aside');
  element.className = 'demonstration';
  const update = () => {
    element.ariaLabel = t`Demonstration`;
    element.textContent = t`For demonstration only. Do not enter real data.`;
  };
  return { element, update };
}
