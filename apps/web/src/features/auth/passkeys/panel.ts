/** The place where the steps of a sign-in stand, one after the other: before React on the login screen, inside it on `/signup`. */
import { element } from './elements.ts';

export type Panel = {
  /** Shows a step in the place of the one before: what it is about, then its parts. The first field or button has the focus. */
  show: (sentence: string, ...parts: Node[]) => void;
  /** Says why something did not come about, under the step; null takes it back. */
  complain: (sentence: string | null) => void;
};

/** `say` shows the sentence of a step, which stands above the place. */
export function createStage(place: HTMLElement, say: (sentence: string) => void): Panel {
  const trouble = element('div', 'login-trouble');
  trouble.role = 'alert';
  return {
    show(sentence, ...parts) {
      say(sentence);
      trouble.replaceChildren();
      place.replaceChildren(...parts, trouble);
      const first = place.querySelector<HTMLElement>('input, .button-primary');
      first?.focus();
      // What is filled in already is replaced by what is typed.
      if (first instanceof HTMLInputElement) first.select();
    },
    complain(sentence) {
      trouble.replaceChildren(...(sentence === null ? [] : [element('p', 'form-errors', sentence)]));
    },
  };
}
