/** Panel that shows one step of a sign-in at a time: without React on the login screen, inside React on `/signup`. */
import { createElement } from './elements.ts';

export type Panel = {
  /**
   * Replaces the shown step and focuses its first field or primary button. Returns a signal that is aborted when the next step is
   * shown.
   */
  show: (sentence: string, ...parts: Node[]) => AbortSignal;
  /** Shows an error below the step; null removes it. */
  showError: (sentence: string | null) => void;
};

export function createPanel(container: HTMLElement, setStatus: (sentence: string) => void): Panel {
  const errorArea = createElement('div', 'login-error');
  errorArea.role = 'alert';
  let controller = new AbortController();
  return {
    show(sentence, ...parts) {
      controller.abort();
      controller = new AbortController();
      setStatus(sentence);
      errorArea.replaceChildren();
      container.replaceChildren(...parts, errorArea);
      const first = container.querySelector<HTMLElement>('input, .button-primary');
      first?.focus();
      // Typing replaces a prefilled value.
      if (first instanceof HTMLInputElement) first.select();
      return controller.signal;
    },
    showError(sentence) {
      errorArea.replaceChildren(...(sentence === null ? [] : [createElement('p', 'form-errors', sentence)]));
    },
  };
}
