import { t } from '@lingui/core/macro';

const dots =
  '<svg viewBox="0 0 16 16" width="16" height="16" fill="currentColor" aria-hidden="true"><circle cx="3" cy="8" r="1.4"/><circle cx="8" cy="8" r="1.4"/><circle cx="13" cy="8" r="1.4"/></svg>';

/** Creates the button of a row's menu. GridView handles clicks on it. */
export function actionsButton(): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'icon-button grid-actions';
  button.tabIndex = -1;
  button.ariaHasPopup = 'menu';
  button.ariaLabel = t`Actions`;
  button.innerHTML = dots;
  return button;
}
