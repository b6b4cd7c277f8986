/** Panel that shows one step of a sign-in at a time: without React on the login screen, inside React on `/signup`. */
import { createElement } from './elements.ts';

export type Panel = {
  /** Replaces the shown step and focuses its first field or primary button. */
  show: (sentence: string, ...parts: Node[]) => void;
  /** Shows an error below the step; null removes it. */
  showError: (sentence: string | null) => void;
};

export function createPanel(container: HTMLElement, setStatus: (sentence: string) => void): Panel {
  const errorArea = createElement('div', 'login-error');
  errorArea.role = 'alert';
  return {
    show(sentence, ...parts) {
      setStatus(sentence);
      errorArea.replaceChildren();
      container.replaceChildren(...parts, errorArea);
      const first = container.querySelector<HTMLElement>('input, .button-primary');
      first?.focus();
      // Typing replaces a prefilled value.
      if (first instanceof HTMLInputElement) first.select();
    },
    showError(sentence) {
      errorArea.replaceChildren(...(sentence === null ? [] : [createElement('p', 'form-errors', sentence)]));
    },
  };
}
